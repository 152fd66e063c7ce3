"""The error of the client, and how failures become one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

from .models import ErrorName

OLDER_SERVER = "The server may be older than this client: compare info.version of its /openapi.json."


@dataclass(eq=False)
class CausewayError(Exception):
    """The only error that a client raises. Its message says what is wrong and what to do.

    name is an error name of the API, for example "not_found" (see /errors/<name> of the server), or what happened if
    there is no usable response. A newer server may send other names.
    """

    name: ErrorName | Literal["unreachable", "timeout", "interrupted", "unexpected_response"]
    message: str
    status: int | None = None
    request_id: str | None = None  # in the logs of the server
    fields: dict[str, list[str]] = field(default_factory=dict)  # what is wrong with each field of the request
    retry_after: int | None = None  # seconds

    def __str__(self) -> str:
        return self.message


def connection_error(url: str, error: Exception) -> CausewayError:
    """Returns the error of a request that got no complete response."""
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)):
        return CausewayError(
            "unreachable",
            f"Cannot connect to {url} ({error}). Check the base URL, and that the server runs; "
            "causeway serve starts a sandbox.",
        )
    if isinstance(error, httpx.TimeoutException):
        return CausewayError("timeout", f"{url} did not respond in time. Retry, or raise the option timeout.")
    return CausewayError("interrupted", f"The connection to {url} was lost ({error}). Retry.")


def response_error(url: str, response: httpx.Response) -> CausewayError:
    """Returns the error of a response that is an error, or that is not one of Causeway."""
    wait = response.headers.get("Retry-After", "")  # seconds, or a date from some proxies
    error = CausewayError(
        "unexpected_response",
        f"{url} returned status {response.status_code} and {response.headers.get('Content-Type', 'no content type')}, "
        f"which is not a response of Causeway: {response.text[:80]!r}. Check the base URL and proxies. {OLDER_SERVER}",
        status=response.status_code,
        request_id=response.headers.get("X-Request-Id"),
        retry_after=int(wait) if wait.isdigit() else None,
    )
    body = parse(response)
    if response.is_error and isinstance(body.get("error"), dict):
        error.name, error.message = body["error"].get("name", error.name), body["error"].get("message", "")
        error.fields = {name: [r["reason"] for r in reasons] for name, reasons in body.get("fields", {}).items()}
        if error.message.startswith("There is nothing at this path"):
            error.message += ". " + OLDER_SERVER
    return error


def parse(response: httpx.Response) -> dict[str, Any]:
    """Parses a response; returns an empty object if it is not a JSON object."""
    try:
        body = json.loads(response.text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
