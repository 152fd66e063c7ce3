"""Client of the Causeway API for asyncio."""
# Source of client.py, which is the same without asyncio.

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import Any
from urllib.parse import quote

import httpx
from typing_extensions import Unpack

from . import models
from .calls import (
    SILENCE, BalanceList, Call, CallOptions, EventPage, EventReader, Model, PriceEvent, TransactionPage, given,
    to_model,
)
from .errors import CausewayError, connection_error, parse, response_error


class AsyncClient:
    """Calls the API. Amounts and prices are decimal strings, to be read with decimal.Decimal.

    A method takes what is in the path of the operation as positional arguments. All other arguments are keywords, with
    the names of the API's parameters and fields; empty ones are not sent. Every method also takes the keywords user,
    headers, timeout, retries and max_retry_after (see CallOptions), which apply to the call; given to the client, they
    apply to all calls. Errors are CausewayError.

    timeout is in seconds and for one attempt; a stream may be silent for 45 seconds. Requests are retried after 429,
    502, 503, 504 and connection failures. A retry waits for Retry-After if that is at most max_retry_after seconds; a
    longer one is an error at once.
    """

    def __init__(
        self,
        base_url: str = "http://localhost:8080",
        *,
        key: str | None = None,
        user: str = "",
        headers: Mapping[str, str] | None = None,
        timeout: float = 15.0,
        retries: int = 3,
        max_retry_after: float = 10.0,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._http = httpx.AsyncClient()
        self._headers = ({"Authorization": f"Bearer {key}"} if key else {}) | dict(headers or {})
        self._options = CallOptions(user=user, timeout=timeout, retries=retries, max_retry_after=max_retry_after)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def list_banks(
        self, *, country: str = "", currency: str = "", channel: str = "", q: str = "", account_number: str = "",
        **options: Unpack[CallOptions],
    ) -> list[models.Bank]:
        """Lists banks and other institutions.

        The filters combine: country ("NG"), currency ("NGN"; several with commas), channel ("mobile_money"), q (a part
        of the name), and account_number, which returns the banks that it may belong to, likeliest first (NG only).
        """
        query = given(country=country, currency=currency, channel=channel, q=q, account_number=account_number)
        return await self._list(models.Bank, "/v1/banks", query, options)

    async def list_countries(self, **options: Unpack[CallOptions]) -> list[models.Country]:
        """Lists the supported countries, with their channels and the form of account numbers."""
        return await self._list(models.Country, "/v1/countries", {}, options)

    async def list_currencies(self, **options: Unpack[CallOptions]) -> list[models.Currency]:
        """Lists the supported currencies, with their networks."""
        return await self._list(models.Currency, "/v1/currencies", {}, options)

    async def get_currency(self, code: str, **options: Unpack[CallOptions]) -> models.Currency:
        """Returns the currency with a code ("BTC")."""
        return to_model(models.Currency, await self.request("GET", f"/v1/currencies/{quote(code, '')}", **options))

    async def resolve_account(
        self, *, country_id: str, currency_id: str, channel: str, account_number: str, bank_code: str = "",
        account_name: str = "", document_type: str = "", document_number: str = "", **options: Unpack[CallOptions],
    ) -> models.Account:
        """Returns the name of the account holder; the error is not_found if the bank has no such account.

        country_id ("NG"), currency_id ("NGN"), channel ("bank_transfer"), bank_code (of list_banks) and account_number
        identify the account. With account_name, the expected holder, the account has name_match. document_type and
        document_number are for countries whose needs_document is true in list_countries.
        """
        body = {"country_id": country_id, "currency_id": currency_id, "channel": channel}
        body |= given(account_number=account_number, bank_code=bank_code, account_name=account_name)
        body |= given(document_type=document_type, document_number=document_number)
        path = "/v1/recipients/resolve-bank-account"
        return to_model(models.Account, await self.request("POST", path, json=body, **options))

    async def validate_address(
        self, *, currency: str, address: str, network: str = "", memo: str = "", memo_type: str = "",
        **options: Unpack[CallOptions],
    ) -> models.Verdict:
        """Reports whether an address is valid; if it is not, the verdict has a reason.

        network is by default the default network of the currency ("USDT"). memo is checked by the rule of the network;
        memo_type is its kind ("text") on networks with several.
        """
        body = given(currency=currency, network=network, memo=memo, memo_type=memo_type)
        body |= {"type": "address", "address": address}
        return to_model(models.Verdict, await self.request("POST", "/v1/validate", json=body, **options))

    async def validate_addresses(
        self, items: Iterable[Mapping[str, str]], **options: Unpack[CallOptions]
    ) -> list[models.Verdict | models.ItemError]:
        """Validates up to 1,000 addresses, given with the keywords of validate_address; results have their order."""
        body = {"items": [{"type": "address", **item} for item in items]}
        results = await self.request("POST", "/v1/validate/batch", json=body, **options)
        return [to_model(models.ItemError if "error" in item else models.Verdict, item) for item in results]

    async def list_pairs(
        self, *, type: str = "", currency: str = "", base: str = "", counter: str = "", id: str = "",
        sort_by: str = "", sort: str = "", **options: Unpack[CallOptions],
    ) -> list[models.Pair]:
        """Lists pairs with their prices, all of one instant.

        The filters combine: type ("crypto"), currency on either side, base, counter and id ("BTCNGN"). sort_by is
        "alphabetical", "current_price", "price_change" or "market_cap", sort "asc" or "desc".
        """
        query = given(type=type, currency=currency, base=base, counter=counter, id=id, sort_by=sort_by, sort=sort)
        return await self._list(models.Pair, "/v1/pairs", query, options)

    async def get_pair(self, id: str, **options: Unpack[CallOptions]) -> models.Pair:
        """Returns the pair with an id ("BTCNGN")."""
        return to_model(models.Pair, await self.request("GET", f"/v1/pairs/{quote(id, '')}", **options))

    async def explain_price(self, id: str, **options: Unpack[CallOptions]) -> models.Price:
        """Returns how the price of the pair with an id is made."""
        return to_model(models.Price, await self.request("GET", f"/v1/pairs/{quote(id, '')}/price", **options))

    async def get_price_history(
        self, id: str, *, period: str = "", **options: Unpack[CallOptions]
    ) -> models.History:
        """Returns past prices of the pair with an id. period is "1d", the default, "7d" or "30d"."""
        path = f"/v1/pairs/{quote(id, '')}/history"
        return to_model(models.History, await self.request("GET", path, params=given(period=period), **options))

    async def stream_pairs(
        self, *, type: str = "", currency: str = "", base: str = "", counter: str = "", id: str = "",
        last_event_id: str | None = None, **options: Unpack[CallOptions],
    ) -> AsyncIterator[PriceEvent]:
        """Streams prices: a snapshot, then changes. The filters are as in list_pairs: type, currency, base, counter, id.

        After the first event it never gives up: when the connection is lost, it connects again, waiting up to 10
        seconds between attempts, and continues after the last event. last_event_id continues an earlier stream. A
        stream ends with an error if there is no first event, or if the server rejects the request.
        """
        query = given(type=type, currency=currency, base=base, counter=counter, id=id)
        call = self._call("/v1/pairs/stream", options)
        attempt, began = 0, False
        while True:
            try:
                async with aclosing(self._connect(call, query, last_event_id)) as events:
                    async for event in events:
                        attempt, began = 0, True
                        last_event_id = event.id or last_event_id
                        yield event
            except CausewayError as error:
                await asyncio.sleep(call.wait(attempt, error, endless=began))
            attempt += 1

    async def list_addresses(self, *, include: str = "", **options: Unpack[CallOptions]) -> list[models.Deposit]:
        """Lists the deposit addresses of the user. include="previous" adds those that were replaced."""
        return await self._list(models.Deposit, "/v1/addresses", given(include=include), options)

    async def get_addresses(
        self, currency: str, *, network: str = "", include: str = "", amount: str = "",
        **options: Unpack[CallOptions],
    ) -> list[models.Deposit]:
        """Returns the deposit addresses of the user for a currency, and assigns them at the first call.

        network limits them to one network. include="previous" adds those that were replaced. amount ("0.5") is the
        amount of their payment links.
        """
        path = f"/v1/addresses/{quote(currency, '')}"
        query = given(network=network, include=include, amount=amount)
        return await self._list(models.Deposit, path, query, options)

    async def get_address_qr(
        self, currency: str, *, network: str = "", amount: str = "", **options: Unpack[CallOptions]
    ) -> str:
        """Returns the payment link of a deposit address of the user as a code to scan: an SVG image.

        network is by default the default network of the currency. amount ("0.5") is the amount of the link.
        """
        query = given(network=network, amount=amount)
        path = f"/v1/addresses/{quote(currency, '')}/qr"
        response = await self._exchange("GET", path, options, lambda r: r.text.startswith("<svg"), params=query)
        return response.text

    async def regenerate_address(
        self, *, currency: str, network: str = "", idempotency_key: str = "", **options: Unpack[CallOptions]
    ) -> models.Deposit:
        """Replaces the deposit address of the user for a currency and a network, by default its default network.

        A retry does not replace it twice. idempotency_key does the same for calls; by default it is random.
        """
        body = given(currency=currency, network=network)
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        options["headers"] = headers | dict(options.get("headers", {}))
        return to_model(models.Deposit, await self.request("POST", "/v1/addresses/regenerate", json=body, **options))

    async def find_address_owner(
        self, *, network: str, address: str, memo: str = "", **options: Unpack[CallOptions]
    ) -> models.AddressOwner:
        """Returns the user to whom an address of a network was assigned, with the memo where users share an address."""
        query = given(network=network, address=address, memo=memo)
        return to_model(models.AddressOwner, await self.request("GET", "/v1/addresses/owner", params=query, **options))

    async def list_transactions(
        self, *, currency: str = "", network: str = "", status: str = "", sort: str = "", limit: int = 0,
        cursor: str = "", **options: Unpack[CallOptions],
    ) -> TransactionPage:
        """Returns a page of the deposits of the user, the newest first unless sort is "asc".

        The filters combine: currency, network and status ("completed"). limit is the most transactions of the page;
        cursor is pagination.next_cursor of the page before.
        """
        query = given(currency=currency, network=network, status=status, sort=sort, limit=limit, cursor=cursor)
        return to_model(TransactionPage, await self._send("GET", "/v1/transactions", options, params=query))

    async def get_transaction(self, id: str, **options: Unpack[CallOptions]) -> models.Transaction:
        """Returns the deposit of the user with an id."""
        return to_model(models.Transaction, await self.request("GET", f"/v1/transactions/{quote(id, '')}", **options))

    async def list_events(
        self, *, after: str = "", type: str = "", limit: int = 0, **options: Unpack[CallOptions]
    ) -> EventPage:
        """Returns what happened to the transactions of all users of the key, the oldest event first.

        after is pagination.next_cursor of the page before. type ("transaction.completed") selects events; limit is the
        most events of the page.
        """
        query = given(after=after, type=type, limit=limit)
        return to_model(EventPage, await self._send("GET", "/v1/events", options, params=query))

    async def list_balances(
        self, *, currency: str = "", fiat: str = "", **options: Unpack[CallOptions]
    ) -> BalanceList:
        """Returns what the user received, by currency, or of one currency. fiat ("NGN") adds the value in it."""
        query = given(currency=currency, fiat=fiat)
        return to_model(BalanceList, await self._send("GET", "/v1/balances", options, params=query))

    async def get_balance(self, currency: str, *, fiat: str = "", **options: Unpack[CallOptions]) -> models.Balance:
        """Returns what the user received in a currency. fiat ("NGN") adds the value in it."""
        path = f"/v1/balances/{quote(currency, '')}"
        return to_model(models.Balance, await self.request("GET", path, params=given(fiat=fiat), **options))

    async def request(
        self, method: str, path: str, *, params: Any = None, json: Any = None, **options: Unpack[CallOptions]
    ) -> Any:
        """Sends a request, with retries, and returns the data of the response."""
        return (await self._send(method, path, options, params=params, json=json))["data"]

    async def _list(
        self, model: type[Model], path: str, params: dict[str, str], options: CallOptions
    ) -> list[Model]:
        return [to_model(model, item) for item in await self.request("GET", path, params=params, **options)]

    async def _send(
        self, method: str, path: str, options: CallOptions, *, params: Any = None, json: Any = None
    ) -> dict[str, Any]:
        """Sends a request, with retries, and returns the body of the response."""
        response = await self._exchange(method, path, options, lambda r: "data" in parse(r), params=params, json=json)
        return parse(response)

    async def _exchange(
        self, method: str, path: str, options: CallOptions, expected: Callable[[httpx.Response], bool], *,
        params: Any = None, json: Any = None,
    ) -> httpx.Response:
        """Sends a request, with retries, until the response is a success as expected, and returns it."""
        call = self._call(path, options)
        for attempt in itertools.count():
            try:
                response = await self._http.request(
                    method, call.url, params=params, json=json, headers=call.headers, timeout=call.timeout
                )
                if response.is_success and expected(response):
                    return response
                failure = response_error(call.url, response)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                failure = connection_error(call.url, error)
            await asyncio.sleep(call.wait(attempt, failure))
        raise AssertionError  # the loop has no end

    async def _connect(
        self, call: Call, query: dict[str, str], last_event_id: str | None
    ) -> AsyncIterator[PriceEvent]:
        """Yields the events of one connection of the stream."""
        headers = call.headers | {"Accept": "text/event-stream"} | given(**{"Last-Event-ID": last_event_id or ""})
        timeout = httpx.Timeout(call.timeout, read=SILENCE)
        try:
            async with self._http.stream("GET", call.url, params=query, headers=headers, timeout=timeout) as response:
                if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
                    await response.aread()
                    raise response_error(call.url, response)
                reader = EventReader()
                async for line in response.aiter_lines():
                    event = reader.read(line)
                    if event:
                        yield event
                raise httpx.ReadError("the server closed it")
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # ValueError: data that is not JSON
            raise connection_error(call.url, error) from error

    def _call(self, path: str, options: CallOptions) -> Call:
        merged = self._options | options
        user = given(**{"X-BU-PROFILE-ID": merged["user"]})
        headers = self._headers | user | dict(options.get("headers", {}))
        return Call(
            self._base_url + path, headers, merged["timeout"], merged["retries"], merged["max_retry_after"]
        )
