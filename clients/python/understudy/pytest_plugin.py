"""The pytest plugin: the fixtures understudy and tenant."""

from typing import Any, Iterator, Optional

import pytest

from . import share
from .sandbox import Sandbox
from .tenant import Tenant


class _Workers:
    """Passes the address of the Share to the workers of pytest-xdist. It runs in the process that starts them."""

    def __init__(self) -> None:
        self._share: Optional[share.Share] = None

    def pytest_configure_node(self, node: Any) -> None:
        """Called by pytest-xdist for each worker, before it starts."""
        if self._share is None:
            self._share = share.Share(lambda: Sandbox.shared()._describe())
        node.workerinput["understudy"] = list(self._share.address)


def pytest_configure(config: pytest.Config) -> None:
    """Makes the workers of pytest-xdist share one server."""
    address = getattr(config, "workerinput", {}).get("understudy")
    if address is not None:
        share.ask_at((address[0], address[1]))
    elif config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Workers(), "understudy-workers")


@pytest.fixture(scope="session")
def understudy() -> Sandbox:
    """The server that all tests share: the one that UNDERSTUDY_CONTROL_URL names, or a new one."""
    return Sandbox.shared()


@pytest.fixture
def tenant(understudy: Sandbox) -> Iterator[Tenant]:
    """A new tenant, which is deleted at the end of the test."""
    with understudy.tenant() as created:
        print(f"understudy: tenant {created.name} at {created.api_url}")  # pytest shows it if the test fails
        yield created
