"""Tests of the receiver of webhooks."""

import base64
import hashlib
import hmac
import json
import unittest

from causeway import SignatureError, WebhookReceiver

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PREVIOUS = "whsec_cHJldmlvdXNwcmV2aW91c3ByZXZpb3Vz"
NOW = 1614265330
TRANSACTION = {
    "id": "tx", "object": "transaction", "type": "receives", "status": "pending", "status_description": "In a block.",
    "created_at": "2026-11-21T12:00:00Z", "updated_at": "2026-11-21T12:00:00Z", "reference": "tx", "user_id": "public",
    "profile_id": "user-1", "description": "Received Bitcoin", "sub_description": "On Bitcoin", "amount": "0.5",
    "currency": "BTC", "network": "BTC", "is_fiat": False, "is_credit": True, "confirmations_required": 3,
    "meta": {"source": {
        "type": "wallet", "network_name": "Bitcoin", "network_currency": "BTC", "address": "tb1q", "hash": "00",
        "confirmations": 1,
    }},
}  # fmt: skip


def message(event, revision=None, secret=SECRET, age=0, changed=False):
    data = {} if revision is None else TRANSACTION | {"revision": revision}
    body = json.dumps({
        "id": event, "type": "transaction.pending", "timestamp": "2026-11-21T12:00:00Z", "user_id": "public", "data": data,
    }).encode()
    timestamp = str(NOW - age)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{event}.{timestamp}.".encode() + body, hashlib.sha256)
    headers = {
        "Webhook-Id": event, "Webhook-Timestamp": timestamp,
        "Webhook-Signature": "v1,AAAA v1," + base64.b64encode(digest).decode(),
    }
    return headers, body.replace(b"tx", b"ty") if changed else body


class WebhooksTest(unittest.TestCase):
    def receive(self, messages, fails=0):
        got = []

        def handle(event):
            got.append(event.id)
            if len(got) <= fails:
                raise ConnectionError("the database is down")

        receiver = WebhookReceiver(handle, SECRET, PREVIOUS, now=lambda: NOW)
        for (headers, body), error in messages:
            if error:
                self.assertRaises(error, receiver.receive, headers, body)
            else:
                receiver.receive(headers, body)
        return got

    def test_messages(self):
        other = "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcg=="
        for name, messages, want in [
            ("in order", [(message("a", 1), None), (message("b", 2), None)], ["a", "b"]),
            ("repeated", [(message("a", 1), None), (message("a", 1), None)], ["a"]),
            ("reordered", [(message("b", 2), None), (message("a", 1), None)], ["b"]),
            ("previous secret", [(message("a", 1, PREVIOUS), None)], ["a"]),
            ("other secret", [(message("a", 1, other), SignatureError)], []),
            ("changed", [(message("a", 1, changed=True), SignatureError)], []),
            ("old", [(message("a", 1, age=301), SignatureError)], []),
            ("test", [(message("a"), None)], []),
        ]:
            with self.subTest(name):
                self.assertEqual(self.receive(messages), want)

    def test_failed_and_sent_again(self):
        got = self.receive([(message("a", 1), ConnectionError), (message("a", 1), None)], fails=1)
        self.assertEqual(got, ["a", "a"])

    def test_published_example(self):
        receiver = WebhookReceiver(self.fail, SECRET, now=lambda: NOW)
        receiver.receive({
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": str(NOW),
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }, b'{"test": 2432232314}')

    def test_secrets(self):
        for secrets in ((), ("whsec_planted!",)):
            with self.assertRaises(ValueError) as caught:
                WebhookReceiver(print, *secrets)
            self.assertNotIn("planted", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
