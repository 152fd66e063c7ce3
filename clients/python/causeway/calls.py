"""What the clients with and without asyncio share: options, retries, events, and the types of results."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar

from pydantic import BaseModel, ValidationError

from . import models
from .errors import OLDER_SERVER, CausewayError

Model = TypeVar("Model", bound=BaseModel)

SILENCE = 45.0  # seconds without a byte after which a stream is lost; the server sends a ping every 15
LONGEST_BACKOFF = 10.0  # seconds


class CallOptions(TypedDict, total=False):
    """Options of one call, which replace the client's."""

    user: str
    """ID of the user of whom the call is, in the header X-BU-PROFILE-ID."""
    headers: Mapping[str, str]
    """Further headers."""
    timeout: float
    """Seconds that one attempt may wait for the server."""
    retries: int
    """Retries after 429, 502, 503, 504 and connection failures."""
    max_retry_after: float
    """Seconds of Retry-After that a retry waits for. A longer one is an error at once."""


@dataclass(frozen=True)
class PriceEvent:
    """A snapshot has all pairs that pass the filters, a change the changed pairs: replace them by ID."""

    id: str | None
    event: Literal["snapshot", "change"]
    pairs: list[models.Pair]


class TransactionPage(BaseModel):
    """A page of transactions. pagination.next_cursor is the cursor of the next page; None: this is the last one."""

    data: list[models.Transaction]
    pagination: models.Pagination
    warnings: list[models.NetworkWarning] | None = None
    """Networks whose deposits arrive late."""


class EventPage(BaseModel):
    """A page of events. pagination.next_cursor, sent as after, asks for the events that follow."""

    data: list[models.Event]
    pagination: models.EventPagination


class BalanceList(BaseModel):
    """The balances of a user."""

    data: list[models.Balance]
    warnings: list[models.NetworkWarning] | None = None
    """Networks whose deposits arrive late."""


@dataclass(frozen=True)
class ChainHeight:
    """The newest block of a simulated chain, and the newest one that the service has read."""

    height: int
    read_height: int | None = None
    problem: str = ""  # why the service has not read more; empty: it has read all


@dataclass(frozen=True)
class Call:
    """A call with the options that apply to it."""

    url: str
    headers: dict[str, str]
    timeout: float
    retries: int
    max_retry_after: float

    def wait(self, attempt: int, error: CausewayError, *, endless: bool = False) -> float:
        """Returns the seconds until the next attempt, or raises the error if there is none."""
        retry_after = error.retry_after or 0
        if error.status not in (None, 429, 502, 503, 504):
            raise error
        if not endless and (attempt >= self.retries or retry_after > self.max_retry_after):
            raise error
        backoff = min(0.25 * 2 ** min(attempt, 10), LONGEST_BACKOFF) * random.uniform(0.5, 1)
        return max(backoff, min(retry_after, self.max_retry_after))


class EventReader:
    """Makes price events of the lines of a stream."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def read(self, line: str) -> PriceEvent | None:
        """Returns the event that a line ends. Comments and unknown events are ignored."""
        name, _, value = line.rstrip("\r\n").partition(":")
        if name or value:
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        event = fields.get("event")
        if event != "snapshot" and event != "change":
            return None
        pairs = json.loads(fields.get("data", "[]"))
        return PriceEvent(fields.get("id"), event, [to_model(models.Pair, pair) for pair in pairs])


def given(**fields: str | int) -> dict[str, str]:
    """Returns the fields that have a value."""
    return {name: str(value) for name, value in fields.items() if value}


def to_model(model: type[Model], data: Any) -> Model:
    try:
        return model(**data)
    except (TypeError, ValidationError) as error:
        fields = ", ".join(str(e["loc"][-1]) for e in error.errors()) if isinstance(error, ValidationError) else "all"
        message = f"The server sent a {model.__name__} with missing or unknown data ({fields}). {OLDER_SERVER}"
        raise CausewayError("unexpected_response", message, status=200) from None
