"""A client for asyncio with a world of the sandbox for itself, so that tests can run in parallel."""
# Source of sandbox.py, which is the same without asyncio.

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from .async_client import AsyncClient
from .calls import ChainHeight


class AsyncSandbox(AsyncClient):
    """Creates a world when it is entered (async with), and deletes it when it is closed.

    world has the settings of POST /_sim/v1/worlds, for example {"clock": {"frozen": True}}. The other options are
    those of AsyncClient.
    """

    def __init__(
        self,
        base_url: str = "http://localhost:8080",
        operator_url: str = "http://localhost:9099",
        *,
        world: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        self._settings = {"id": f"test-{uuid.uuid4()}", "ttl": "10m", **(world or {})}
        self.world: str = self._settings["id"]
        super().__init__(base_url, headers={**(headers or {}), "Sim-World": self.world}, **options)
        self._control = AsyncClient(operator_url, **options)

    async def __aenter__(self):
        await self._control.request("POST", "/_sim/v1/worlds", json=self._settings)
        return self

    async def aclose(self) -> None:
        await self.control("DELETE", "")
        await self._control.aclose()
        await super().aclose()

    async def next(self, operation: str, *outcomes: str) -> None:
        """Sets the outcomes of the next requests of an operation, for example "resolve-account" to "all_down"."""
        await self.control("POST", "/next", {"operation": operation, "outcomes": outcomes})

    async def set_account(self, bank: str, number: str, **account: str) -> None:
        """Sets the account_name or the outcome of an account."""
        await self.control("PUT", f"/accounts/{quote(bank, '')}/{quote(number, '')}", account)

    async def deposit(self, profile: str, currency: str, network: str, amount: str) -> str:
        """Sends an amount of a currency to the deposit address of a profile.

        Returns the hash of the transaction, which is in the next block of the network.
        """
        body = {"profile_id": profile, "currency": currency, "amount": amount}
        sent = await self.control("POST", _chain_path(network, "transfers"), body)
        return sent[0]["hash"]

    async def mine(self, network: str, blocks: int = 1) -> ChainHeight:
        """Adds blocks to the chain of a network and lets the service read them."""
        return ChainHeight(**await self.control("POST", _chain_path(network, "mine"), {"blocks": blocks}))

    async def reorganize(self, network: str, depth: int, *, drop: bool = False) -> ChainHeight:
        """Replaces the newest blocks of a network by a new branch of one block more, and lets the service read it.

        The last new block has the transfers of the replaced ones, unless they are dropped.
        """
        body = {"depth": depth, "drop": drop}
        return ChainHeight(**await self.control("POST", _chain_path(network, "reorganize"), body))

    async def control(self, method: str, path: str, body: Any = None) -> Any:
        """Calls an operation of the control API on the world, for example POST /clock/advance."""
        return await self._control.request(method, f"/_sim/v1/worlds/{quote(self.world, '')}{path}", json=body)


def _chain_path(network: str, below: str) -> str:
    return f"/chains/{quote(network, '')}/{below}"
