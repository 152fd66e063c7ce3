"""Tests of the client. test/clients starts the sandbox that they use."""

import asyncio
import inspect
import json
import os
import pathlib
import re
import socket
import threading
import time
import unittest
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

import httpx

from causeway import AsyncClient, AsyncSandbox, CausewayError, ChainHeight, Client, Sandbox

BASE_URL = os.environ["CAUSEWAY_URL"]
OPERATOR_URL = os.environ["CAUSEWAY_OPERATOR_URL"]
ACCOUNT = {"country_id": "NG", "currency_id": "NGN", "channel": "bank_transfer", "account_number": "0123456789"}
BITCOIN = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"


class SandboxTest(unittest.TestCase):
    def setUp(self):
        self.sandbox = self.enterContext(Sandbox(BASE_URL, OPERATOR_URL))

    def test_readme(self):
        readme = pathlib.Path(__file__).parents[1].joinpath("README.md").read_text()
        code = re.search(r"```python\n(.*?)```", readme, re.S)[1]
        exec(code.replace("http://localhost:8080", BASE_URL).replace("http://localhost:9099", OPERATOR_URL), {})

    def test_operations(self):
        sandbox = self.sandbox
        self.assertEqual(sandbox.list_banks(country="NG", q="guaranty")[0].code, "000013")
        self.assertIn("KE", [country.code for country in sandbox.list_countries()])
        self.assertIn("BTC", [currency.code for currency in sandbox.list_currencies()])
        self.assertEqual(sandbox.get_currency("btc").decimals, "8")
        self.assertEqual({pair.type for pair in sandbox.list_pairs(type="crypto", counter="NGN")}, {"crypto"})
        self.assertRegex(sandbox.get_pair("BTCNGN").buy_price.amount, r"^\d+(\.\d+)?$")
        self.assertEqual(sandbox.explain_price("BTCNGN").id, "BTCNGN")
        self.assertEqual(sandbox.get_price_history("BTCNGN", period="7d").period, "7d")
        self.assertTrue(sandbox.validate_address(currency="BTC", address=BITCOIN).valid)
        items = [{"currency": currency, "address": BITCOIN} for currency in ("BTC", "XYZ")]
        results = sandbox.validate_addresses(items)
        self.assertEqual([type(result).__name__ for result in results], ["Verdict", "ItemError"])
        deposit = sandbox.regenerate_address(currency="BTC")
        self.assertEqual(sandbox.get_addresses("BTC")[0].address, deposit.address)
        self.assertRegex(sandbox.get_address_qr("BTC", amount="0.5"), "^<svg .*</svg>$")
        self.assertIn(deposit.address, [address.address for address in sandbox.list_addresses()])
        self.assertTrue(sandbox.find_address_owner(network="BTC", address=deposit.address).current)

    def test_each_world_has_its_own_accounts(self):
        other = self.enterContext(Sandbox(BASE_URL, OPERATOR_URL))
        self.sandbox.set_account("058", "0123456789", account_name="TEST ADA")
        other.set_account("058", "0123456789", outcome="unknown")
        self.assertEqual(self.sandbox.resolve_account(**ACCOUNT, bank_code="058").account_name, "TEST ADA")
        with self.assertRaises(CausewayError) as raised:
            other.resolve_account(**ACCOUNT, bank_code="058")
        self.assertEqual((raised.exception.name, raised.exception.status), ("not_found", 404))

    def test_deposit(self):
        frozen = {"clock": {"frozen": True}}  # no block comes by itself
        sandbox = self.sandbox = self.enterContext(Sandbox(BASE_URL, OPERATOR_URL, world=frozen))
        self.assertRegex(sandbox.deposit("user-1", "USDT", "BSC", "10.5"), "^0x[0-9a-f]{64}$")
        mined = sandbox.mine("BSC", 16)
        self.assertEqual(mined, ChainHeight(mined.height, mined.height))
        self.assertEqual(self.balance(), ("0", "10.5"))
        page = sandbox.list_transactions(status="completed", limit=5, user="user-1")
        self.assertEqual([transaction.amount for transaction in page.data], ["10.5"])
        self.assertEqual(page.pagination.current_entries_size, 1)
        self.assertEqual(sandbox.get_transaction(page.data[0].id, user="user-1"), page.data[0])
        events = sandbox.list_events(type="transaction.completed").data
        self.assertEqual([event.data.id for event in events], [page.data[0].id])
        balances = sandbox.list_balances(currency="USDT", user="user-1").data
        self.assertEqual([balance.total.amount for balance in balances], ["10.5"])
        self.assertEqual(sandbox.reorganize("BSC", 16).height, mined.height + 1)
        self.assertEqual(self.balance(), ("10.5", "0"))
        sandbox.reorganize("BSC", 1, drop=True)
        sandbox.mine("BSC", 40)
        self.assertEqual(self.balance(), ("0", "0"))

    def balance(self):
        """Returns what user-1 has, pending and available."""
        found = self.sandbox.get_balance("USDT", user="user-1")
        return found.pending.amount, found.available.amount

    def test_errors_of_the_api(self):
        with self.assertRaises(CausewayError) as raised:
            self.sandbox.resolve_account(**ACCOUNT, bank_code="5")
        self.assertEqual(raised.exception.name, "request_validation")
        self.assertRegex(raised.exception.fields["bank_code"][0], "bank")
        self.assertRegex(raised.exception.request_id, "^req_")
        self.sandbox.next("resolve-account", "all_down")
        with self.assertRaises(CausewayError) as raised:
            self.sandbox.resolve_account(**ACCOUNT, bank_code="058")
        self.assertEqual((raised.exception.name, raised.exception.retry_after), ("service_unavailable", 30))

    def test_stream(self):
        stream = self.sandbox.stream_pairs(id="BTCNGN")
        snapshot = next(stream)
        self.sandbox.control("PUT", "/market/BTCUSD", {"drift": 100})
        self.sandbox.control("POST", "/clock/advance", {"by": "1m"})
        events = [snapshot, next(stream)]
        stream.close()
        self.assertEqual([event.event for event in events], ["snapshot", "change"])
        self.assertEqual([event.pairs[0].id for event in events], ["BTCNGN", "BTCNGN"])


    def test_async(self):
        async def calls():
            async with AsyncSandbox(BASE_URL, OPERATOR_URL) as sandbox:
                pairs = await asyncio.gather(*(sandbox.get_pair(id) for id in ("BTCNGN", "USDTNGN")))
                self.assertEqual([pair.id for pair in pairs], ["BTCNGN", "USDTNGN"])
                await sandbox.next("resolve-account", "unknown")
                with self.assertRaises(CausewayError) as raised:
                    await sandbox.resolve_account(**ACCOUNT, bank_code="058")
                self.assertEqual(raised.exception.name, "not_found")
                async with aclosing(sandbox.stream_pairs(id="BTCNGN")) as events:
                    async for event in events:
                        self.assertEqual((event.event, event.pairs[0].id), ("snapshot", "BTCNGN"))
                        break

        asyncio.run(calls())


class OperationsTest(unittest.TestCase):
    def test_every_operation_has_a_method(self):
        root = pathlib.Path(__file__).parents[3]
        document = json.loads(root.joinpath("adapters/httpapi/testdata/openapi.json").read_text())
        for operation in (operation for path in document["paths"].values() for operation in path.values()):
            name = operation["operationId"].replace("-", "_")
            for client in (Client, AsyncClient):
                with self.subTest(name, client=client):
                    method = getattr(client, name)
                    arguments = inspect.signature(method).parameters
                    for argument in self.arguments(document, operation):
                        self.assertIn(argument, arguments)
                    for argument in arguments.values():
                        if argument.kind == argument.KEYWORD_ONLY:
                            self.assertRegex(method.__doc__, rf"\b{argument.name}\b")

    def arguments(self, document, operation):
        """Returns the names of the parameters and fields of an operation, as in Python."""
        for parameter in operation.get("parameters", []):
            parameter = self.resolve(document, parameter)
            if parameter["name"] != "X-BU-PROFILE-ID":  # the option user
                yield parameter["name"].lower().replace("-", "_")
        if "requestBody" in operation:
            schema = self.resolve(document, operation["requestBody"]["content"]["application/json"]["schema"])
            yield from schema["properties"].keys() - {"type"}  # always address

    def resolve(self, document, part):
        for name in part.get("$ref", "#").split("/")[1:]:
            document = document[name]
        return document if "$ref" in part else part


class Outage:
    """A server that is down after its first event, by a clock that sleeping advances."""

    def __init__(self, seconds):
        self.seconds, self.now, self.asked = seconds, 0.0, []

    def sleep(self, seconds):
        self.now += seconds

    def respond(self, request):
        if self.asked and self.now < self.seconds:
            raise httpx.ConnectError("refused")
        self.asked.append(request.headers.get("Last-Event-ID"))
        event = f"id: {len(self.asked)}\nevent: change\ndata: []\n\n"
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=event)


class OutageTest(unittest.TestCase):
    def check(self, seconds, stream):
        server = Outage(seconds)
        with (
            mock.patch("time.sleep", server.sleep),
            mock.patch("asyncio.sleep", mock.AsyncMock(side_effect=server.sleep)),
            mock.patch.object(httpx.HTTPTransport, "handle_request", side_effect=server.respond),
            mock.patch.object(httpx.AsyncHTTPTransport, "handle_async_request", side_effect=server.respond),
        ):
            self.assertEqual(stream(), ["1", "2"])
        self.assertEqual(server.asked, [None, "1"])
        self.assertLess(server.now, seconds + 10)

    def test_streams_outlive_outages(self):
        def sync():
            with Client() as client:
                events = client.stream_pairs()
                return [next(events).id, next(events).id]

        async def asynchronous():
            async with AsyncClient() as client, aclosing(client.stream_pairs()) as events:
                return [(await anext(events)).id, (await anext(events)).id]

        for seconds in (4, 60, 3600):
            with self.subTest(seconds):
                self.check(seconds, sync)
                self.check(seconds, lambda: asyncio.run(asynchronous()))


class BadInputTest(unittest.TestCase):
    def serve(self, *responses, **options):
        """Starts a server that sends the responses in turn and repeats the last one."""
        requests = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                requests.append(self.headers)
                status, headers, body = responses[min(len(requests), len(responses)) - 1]
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            do_POST = do_GET
            log_message = lambda *_: None

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return self.enterContext(Client(f"http://127.0.0.1:{server.server_port}/", **options)), requests

    def failure(self, call, *args, **arguments):
        with self.assertRaises(CausewayError) as raised:
            call(*args, **arguments)
        return raised.exception

    def test_bad_responses(self):
        html = {"Content-Type": "text/html"}
        cases = {
            "a wrong key": (401, {}, envelope("unauthorized", "The key is unknown"), "unauthorized", "key"),
            "a proxy's page": (403, html, "<h1>Blocked</h1>", "unexpected_response", "403.*html.*<h1>Blocked.*prox"),
            "a login page": (200, html, "<h1>Sign in</h1>", "unexpected_response", "Check the base URL"),
            "a cut response": (200, {"Content-Length": "100"}, '{"data":[', "interrupted", "Retry"),
            "an older server": (404, {}, envelope("not_found", "There is nothing at this path"), "not_found", "older"),
            "no data": (200, {}, '{"status":"success"}', "unexpected_response", "older"),
        }
        for title, (status, headers, body, name, message) in cases.items():
            with self.subTest(title):
                client, _ = self.serve((status, headers, body), retries=0)
                error = self.failure(client.list_banks, account_number="0123456789")
                self.assertEqual(error.name, name)
                self.assertRegex(str(error), message)
                self.assertNotIn("0123456789", str(error))
                self.assertEqual(self.failure(next, client.stream_pairs()).name, name)

    def test_older_server_without_a_field(self):
        client, _ = self.serve((200, {}, '{"data":[{"code":"000013","name":"Guaranty Trust Bank"}]}'))
        error = self.failure(client.list_banks)
        self.assertEqual(error.name, "unexpected_response")
        self.assertRegex(error.message, "Bank with missing or unknown data .*country.* older")

    def test_unreachable_server(self):
        client = self.enterContext(Client("http://127.0.0.1:9", retries=1))
        for error in (self.failure(client.list_pairs), self.failure(next, client.stream_pairs())):
            self.assertEqual(error.name, "unreachable")
            self.assertRegex(error.message, r"Cannot connect to http://127\.0\.0\.1:9.*causeway serve")

    @mock.patch("causeway.client.SILENCE", 0.05)
    def test_silent_server(self):
        server = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        client = self.enterContext(Client(f"http://127.0.0.1:{server.getsockname()[1]}", retries=0, timeout=0.05))
        self.assertEqual(self.failure(client.list_pairs).name, "timeout")
        self.assertEqual(self.failure(next, client.stream_pairs()).name, "timeout")

    def test_retries_wait_for_retry_after(self):
        busy = (429, {"Retry-After": "1"}, envelope("too_many_requests", "Slow down"))
        client, requests = self.serve(busy, (200, {}, '{"data":[]}'))
        start = time.monotonic()
        self.assertEqual(client.list_banks(), [])
        self.assertEqual(len(requests), 2)
        self.assertGreater(time.monotonic() - start, 0.99)

    def test_options_of_a_call(self):
        client, requests = self.serve((503, {"Retry-After": "1"}, ""), user="u1", headers={"X-Trace": "a"}, retries=0)
        self.failure(client.get_balance, "BTC")
        self.failure(client.get_balance, "BTC", user="u2", headers={"X-Trace": "b"})
        self.failure(client.get_balance, "BTC", retries=1, max_retry_after=0.5)
        seen = [(request["X-BU-PROFILE-ID"], request["X-Trace"]) for request in requests]
        self.assertEqual(seen, [("u1", "a"), ("u2", "b"), ("u1", "a")])

    def test_long_retry_after(self):
        client, requests = self.serve((503, {"Retry-After": "60"}, envelope("service_unavailable", "Later")))
        self.assertEqual(self.failure(client.list_banks).retry_after, 60)
        self.assertEqual(len(requests), 1)

    def test_lost_response_is_requested_with_the_same_idempotency_key(self):
        cut = (200, {"Content-Length": "100"}, '{"data":')
        client, requests = self.serve(cut, (503, {"Retry-After": "60"}, envelope("service_unavailable", "Later")))
        self.failure(client.regenerate_address, currency="BTC")
        self.assertEqual(len(requests), 2)
        self.assertEqual(requests[0]["Idempotency-Key"], requests[1]["Idempotency-Key"])

    def test_stream_continues_after_a_lost_connection(self):
        with Sandbox(BASE_URL, OPERATOR_URL) as sandbox:
            pair = sandbox.request("GET", "/v1/pairs/BTCNGN")
        data = "data: " + json.dumps([pair])
        stream = {"Content-Type": "text/event-stream"}
        client, requests = self.serve(
            (200, {**stream, "Content-Length": "9999"}, f": ping\n\nid: 7\nevent: snapshot\n{data}\n\nid: 8\nevent: c"),
            (503, {"Retry-After": "0"}, ""),
            (200, stream, f"id: 9\r\nevent: change\r\n{data}\r\n\r\n"),
        )
        events = client.stream_pairs()
        self.assertEqual([next(events).id, next(events).id], ["7", "9"])
        self.assertEqual([request["Last-Event-ID"] for request in requests], [None, "7", "7"])


def envelope(name, message):
    return '{"error":{"name":"%s","message":"%s"},"request_id":"req_1"}' % (name, message)


if __name__ == "__main__":
    unittest.main()
