"""Client of the Causeway API. Its types are generated from the OpenAPI document of the server."""

from __future__ import annotations

import itertools
import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from . import models
from .errors import OLDER_SERVER, CausewayError, connection_error, parse, response_error

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class PriceEvent:
    """A snapshot has all pairs that pass the filters, a change the changed pairs: replace them by ID."""

    id: str | None
    event: str
    pairs: list[models.Pair]


class Client:
    """Calls the API. Amounts and prices are decimal strings, to be read with decimal.Decimal.

    timeout is in seconds and for one attempt; a stream may be silent for three times as long. Requests are retried
    after 429, 502, 503, 504 and connection failures. A retry waits for Retry-After if that is at most
    max_retry_after seconds; a longer one is an error at once.
    """

    def __init__(
        self,
        base_url: str = "http://localhost:8080",
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 15.0,
        retries: int = 2,
        max_retry_after: float = 10.0,
    ) -> None:
        authorization = {"Authorization": f"Bearer {key}"} if key else {}
        self._base_url = base_url.rstrip("/")
        self._http = httpx.Client(headers={**authorization, **(headers or {})}, timeout=timeout)
        self._timeout = timeout
        self._retries = retries
        self._max_retry_after = max_retry_after

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def list_banks(
        self, *, country: str = "", currency: str = "", channel: str = "", q: str = "", account_number: str = ""
    ) -> list[models.Bank]:
        query = _given(country=country, currency=currency, channel=channel, q=q, account_number=account_number)
        return self._list(models.Bank, "/v1/banks", query)

    def list_countries(self) -> list[models.Country]:
        return self._list(models.Country, "/v1/countries")

    def list_currencies(self) -> list[models.Currency]:
        return self._list(models.Currency, "/v1/currencies")

    def get_currency(self, code: str) -> models.Currency:
        return _model(models.Currency, self.request("GET", f"/v1/currencies/{quote(code, '')}"))

    def resolve_account(
        self, *, country_id: str, currency_id: str, channel: str, account_number: str, bank_code: str = "",
        account_name: str = "", document_type: str = "", document_number: str = "",
    ) -> models.Account:
        """Returns the name of the account holder; the error is not_found if the bank has no such account."""
        body = {"country_id": country_id, "currency_id": currency_id, "channel": channel}
        body |= _given(account_number=account_number, bank_code=bank_code, account_name=account_name)
        body |= _given(document_type=document_type, document_number=document_number)
        return _model(models.Account, self.request("POST", "/v1/recipients/resolve-bank-account", json=body))

    def validate_address(
        self, *, currency: str, address: str, network: str = "", memo: str = "", memo_type: str = ""
    ) -> models.Verdict:
        """Reports whether an address is valid; if it is not, the verdict has a reason."""
        body = _given(currency=currency, network=network, memo=memo, memo_type=memo_type)
        body |= {"type": "address", "address": address}
        return _model(models.Verdict, self.request("POST", "/v1/validate", json=body))

    def validate_addresses(self, items: Iterable[Mapping[str, str]]) -> list[models.Verdict | models.ItemError]:
        """Validates up to 1,000 addresses, given as for validate_address; results have their order."""
        body = {"items": [{"type": "address", **item} for item in items]}
        results = self.request("POST", "/v1/validate/batch", json=body)
        return [_model(models.ItemError if "error" in item else models.Verdict, item) for item in results]

    def list_pairs(
        self, *, type: str = "", currency: str = "", base: str = "", counter: str = "",
        sort_by: str = "", sort: str = "",
    ) -> list[models.Pair]:
        query = _given(type=type, currency=currency, base=base, counter=counter, sort_by=sort_by, sort=sort)
        return self._list(models.Pair, "/v1/pairs", query)

    def get_pair(self, id: str) -> models.Pair:
        return _model(models.Pair, self.request("GET", f"/v1/pairs/{quote(id, '')}"))

    def explain_price(self, id: str) -> models.Price:
        """Returns how the price of a pair is made."""
        return _model(models.Price, self.request("GET", f"/v1/pairs/{quote(id, '')}/price"))

    def get_price_history(self, id: str, period: str = "1d") -> models.History:
        path = f"/v1/pairs/{quote(id, '')}/history"
        return _model(models.History, self.request("GET", path, params={"period": period}))

    def list_addresses(self, *, include: str = "") -> list[models.Deposit]:
        return self._list(models.Deposit, "/v1/addresses", _given(include=include))

    def get_addresses(self, currency: str, *, network: str = "", include: str = "") -> list[models.Deposit]:
        path = f"/v1/addresses/{quote(currency, '')}"
        return self._list(models.Deposit, path, _given(network=network, include=include))

    def regenerate_address(self, currency: str, *, network: str = "") -> models.Deposit:
        """Replaces a deposit address; a retry does not replace it twice."""
        body = _given(currency=currency, network=network)
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return _model(models.Deposit, self.request("POST", "/v1/addresses/regenerate", json=body, headers=headers))

    def find_address_owner(self, *, network: str, address: str, memo: str = "") -> models.AddressOwner:
        query = _given(network=network, address=address, memo=memo)
        return _model(models.AddressOwner, self.request("GET", "/v1/addresses/owner", params=query))

    def stream_pairs(
        self, *, type: str = "", currency: str = "", base: str = "", counter: str = "", id: str = "",
        last_event_id: str | None = None,
    ) -> Iterator[PriceEvent]:
        """Streams prices. After a failure it continues from the last event, with retries."""
        query = _given(type=type, currency=currency, base=base, counter=counter, id=id)
        attempt = 0
        while True:
            try:
                for event in self._connect(query, last_event_id):
                    attempt = 0
                    last_event_id = event.id or last_event_id
                    yield event
            except CausewayError as error:
                self._wait_for_retry(attempt, error)
            attempt += 1

    def _connect(self, query: dict[str, str], last_event_id: str | None) -> Iterator[PriceEvent]:
        """Yields the events of one connection of the stream."""
        url = self._base_url + "/v1/pairs/stream"
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_event_id} if last_event_id else {})
        timeout = httpx.Timeout(self._timeout, read=3 * self._timeout)  # the server sends a ping every 15 seconds
        try:
            with self._http.stream("GET", url, params=query, headers=headers, timeout=timeout) as response:
                if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
                    response.read()
                    raise response_error(url, response)
                fields: dict[str, str] = {}
                for line in response.iter_lines():
                    name, _, value = line.rstrip("\r\n").partition(":")
                    if name or value:
                        fields[name] = value.removeprefix(" ")
                        continue
                    if fields.get("event") in ("snapshot", "change"):
                        yield _price_event(fields)
                    fields = {}
                raise httpx.ReadError("the server closed it")
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # ValueError: data that is not JSON
            raise connection_error(url, error) from error

    def request(self, method: str, path: str, *, params: Any = None, json: Any = None, headers: Any = None) -> Any:
        """Sends a request, with retries, and returns the data of the response."""
        url = self._base_url + path
        for attempt in itertools.count():
            try:
                response = self._http.request(method, url, params=params, json=json, headers=headers)
                body = parse(response)
                if response.is_success and "data" in body:
                    return body["data"]
                failure = response_error(url, response)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                failure = connection_error(url, error)
            self._wait_for_retry(attempt, failure)

    def _list(self, model: type[Model], path: str, params: dict[str, str] | None = None) -> list[Model]:
        return [_model(model, item) for item in self.request("GET", path, params=params)]

    def _wait_for_retry(self, attempt: int, error: CausewayError) -> None:
        """Waits until the next attempt, or raises the error if there is none."""
        seconds = 0.25 * 2**attempt if error.retry_after is None else error.retry_after
        temporary = error.status in (None, 429, 502, 503, 504)
        if not temporary or attempt >= self._retries or seconds > self._max_retry_after:
            raise error
        time.sleep(seconds)


def _given(**fields: str) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value}


def _model(model: type[Model], data: Any) -> Model:
    try:
        return model(**data)
    except (TypeError, ValidationError) as error:
        fields = ", ".join(str(e["loc"][-1]) for e in error.errors()) if isinstance(error, ValidationError) else "all"
        message = f"The server sent a {model.__name__} with missing or unknown data ({fields}). {OLDER_SERVER}"
        raise CausewayError("unexpected_response", message, status=200) from None


def _price_event(fields: dict[str, str]) -> PriceEvent:
    pairs = json.loads(fields.get("data", "[]"))
    return PriceEvent(fields.get("id"), fields["event"], [_model(models.Pair, pair) for pair in pairs])
