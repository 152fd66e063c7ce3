"""Client of the Causeway API: banks, account names, crypto addresses and prices."""

from .client import Client, PriceEvent
from .errors import CausewayError
from .sandbox import ChainHeight, Sandbox

__all__ = ["CausewayError", "ChainHeight", "Client", "PriceEvent", "Sandbox"]
