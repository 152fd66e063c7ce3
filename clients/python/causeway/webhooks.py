"""Receives the events that Causeway sends to a server."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from .calls import to_model
from .models import Event

_TOLERANCE = 300  # seconds
_REMEMBERED = 10_000


class SignatureError(ValueError):
    """A message has no valid signature, or is more than five minutes old."""


class WebhookReceiver:
    """Receives events, from any web framework.

    It refuses messages without a valid signature, and calls ``handle`` once for each event that brings news: not for an
    event that it knows, and not for an older revision of a transaction than the newest one. It remembers the last
    10,000 events. A receiver that must remember more, or over restarts, keeps the IDs and revisions in its database as
    well.

    The secrets are the current one and, while it is replaced, the previous one.
    """

    def __init__(
        self, handle: Callable[[Event], None], *secrets: str, now: Callable[[], float] = time.time
    ) -> None:
        if not secrets:
            raise ValueError("a receiver of webhooks needs a secret")
        try:
            self._keys = [base64.b64decode(secret.removeprefix("whsec_"), validate=True) for secret in secrets]
        except binascii.Error:
            raise ValueError("the secret of a webhook is not whsec_ and base64") from None
        self._handle, self._now = handle, now
        self._lock = threading.Lock()
        self._events: OrderedDict[str, int] = OrderedDict()
        self._newest: OrderedDict[str, int] = OrderedDict()

    def receive(self, headers: Mapping[str, str], body: bytes) -> None:
        """Receives a message.

        ``headers`` may have any case, and ``body`` is what arrived, before anything parsed it.

        Raises SignatureError, or what ``handle`` raises: answer with 500 then, and the event comes again.
        """
        self._verify({name.lower(): value for name, value in headers.items()}, body)
        message = json.loads(body)
        if not message.get("id") or not message.get("data", {}).get("id"):
            return  # such as webhook.test
        event, transaction, revision = message["id"], message["data"]["id"], message["data"]["revision"]
        with self._lock:  # calls of handle follow each other
            if event in self._events or self._newest.get(transaction, 0) >= revision:
                return
            self._handle(to_model(Event, message))
            _remember(self._events, event, 1)
            _remember(self._newest, transaction, revision)

    def _verify(self, headers: Mapping[str, str], body: bytes) -> None:
        timestamp = headers.get("webhook-timestamp", "")
        if not timestamp.isdecimal() or abs(self._now() - int(timestamp)) > _TOLERANCE:
            raise SignatureError("the timestamp is missing, or more than five minutes away")
        signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
        wanted = [b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in self._keys]
        for signature in headers.get("webhook-signature", "").split(" "):
            if any(hmac.compare_digest(want, signature.encode()) for want in wanted):
                return
        raise SignatureError("no signature is valid")


def _remember(values: OrderedDict[str, int], key: str, value: int) -> None:
    values[key] = value
    if len(values) > _REMEMBERED:
        values.popitem(last=False)
