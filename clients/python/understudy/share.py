"""One server for all workers of pytest-xdist.

The process that starts the workers listens on a port. It starts the server when the
first worker asks for it.
"""

import json
import socket
import threading
from typing import Any, Callable, Dict, Optional, Tuple

from .errors import StartError

_address: Optional[Tuple[str, int]] = None  # of the Share; None if this process is not a worker


def ask_at(address: Tuple[str, int]) -> None:
    """Sets the address to which ask connects."""
    global _address
    _address = address


def ask() -> Dict[str, Any]:
    """Returns the arguments of Sandbox with which this process finds the server of all workers.

    They are empty if this process is not a worker. Raises StartError if the server did not start.
    """
    if _address is None:
        return {}
    with socket.create_connection(_address) as connection, connection.makefile("rb") as response:
        arguments: Dict[str, Any] = json.load(response)
    if "error" in arguments:
        raise StartError(arguments["error"])
    return arguments


class Share:
    """Tells the workers how to find the server."""

    def __init__(self, start: Callable[[], Dict[str, str]]) -> None:
        """start starts the server if necessary, and returns the arguments with which a worker finds it."""
        self._start = start
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address: Tuple[str, int] = self._listener.getsockname()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                try:
                    arguments = self._start()
                except Exception as error:
                    arguments = {"error": str(error)}
                try:
                    connection.sendall(json.dumps(arguments).encode())
                except OSError:
                    pass  # the worker has gone
