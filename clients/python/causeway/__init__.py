"""Client of the Causeway API: banks, account names, crypto addresses and prices."""

from .async_client import AsyncClient
from .async_sandbox import AsyncSandbox
from .calls import BalanceList, CallOptions, ChainHeight, EventPage, PriceEvent, TransactionPage
from .client import Client
from .errors import CausewayError
from .sandbox import Sandbox
from .webhooks import SignatureError, WebhookReceiver

__all__ = [
    "AsyncClient", "AsyncSandbox", "BalanceList", "CallOptions", "CausewayError", "ChainHeight", "Client", "EventPage",
    "PriceEvent", "Sandbox", "SignatureError", "TransactionPage", "WebhookReceiver",
]
