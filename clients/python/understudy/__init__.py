"""For tests that run against Understudy.

A Sandbox is a server, and a Tenant is one test's part of it, with its own
credentials, data, clock, outcomes and faults, so tests do not affect each other:

    def test_failure(tenant):                       # a fixture of the pytest plugin
        tenant.outcome("broken.*", status="Failed")
        tx_id = tenant.submit("broken.txt", b"Insured: Foxglove Bakery LLC")
        tenant.advance("1m")
        assert tenant.status(tx_id) == "Failed"

Without pytest:

    with understudy.Sandbox.shared().tenant() as tenant:
        ...
"""

from .errors import APIError, NoEventError, StartError, UnderstudyError
from .receiver import ReceivedEvent, Receiver
from .sandbox import Sandbox
from .tenant import Tenant

__version__ = "0.0.0"

__all__ = [
    "APIError",
    "NoEventError",
    "ReceivedEvent",
    "Receiver",
    "Sandbox",
    "StartError",
    "Tenant",
    "UnderstudyError",
]
