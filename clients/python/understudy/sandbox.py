"""Sandbox: a server that was started or found."""

import atexit
import http.client
import json
import os
import threading
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Sequence, Type
from urllib.parse import urlencode

from . import process, share
from .errors import UnderstudyError
from .http import Response, send
from .tenant import Tenant


class Sandbox:
    """A server: the running one that UNDERSTUDY_CONTROL_URL names, or else a new one.

    A new server listens on free ports of the loopback interface, keeps its data in
    a temporary directory, and ends with this process, however that ends. Its binary
    is UNDERSTUDY_BIN, or understudy on PATH. All tests of a process can share one
    server, because each test has its own tenant: see shared().
    """

    _shared: Optional["Sandbox"] = None
    _sharing = threading.Lock()

    def __init__(
        self,
        *,
        binary: Optional[str] = None,
        control_url: Optional[str] = None,
        api_url: Optional[str] = None,
        control_token: Optional[str] = None,
    ) -> None:
        """Finds or starts a server. Raises StartError if it does not start.

        control_url, api_url and control_token replace the environment variables
        UNDERSTUDY_CONTROL_URL, UNDERSTUDY_API_URL and UNDERSTUDY_CONTROL_TOKEN.
        With binary, the server is always a new one.
        """
        self._server: Optional[process.Server] = None
        self._token = ""
        if binary is None and control_url is None:
            control_url = os.environ.get("UNDERSTUDY_CONTROL_URL", "")
            api_url = api_url or os.environ.get("UNDERSTUDY_API_URL", "")
        if not control_url:
            self._server = process.Server(binary or process.find_binary())
            atexit.register(self.close)
            control_url, api_url = self._server.control_url, self._server.api_url
        else:
            self._token = os.environ.get("UNDERSTUDY_CONTROL_TOKEN", "") if control_token is None else control_token
        #: URL of the control listener, such as http://127.0.0.1:8081
        self.control_url = control_url.rstrip("/")
        #: URL of the API, such as http://127.0.0.1:8080
        self.api_url = (api_url or self._discover_api_url()).rstrip("/")

    def _discover_api_url(self) -> str:
        try:
            url: str = self.control("GET", "/")["api_url"]
        except (OSError, http.client.HTTPException, UnderstudyError) as error:
            raise UnderstudyError(f"get the API URL from the server at UNDERSTUDY_CONTROL_URL: {error}") from error
        return url

    @classmethod
    def shared(cls) -> "Sandbox":
        """Returns the server that all tests of this process share, and with pytest-xdist those of all workers.

        The first call finds or starts it.
        """
        with cls._sharing:
            if cls._shared is None:
                cls._shared = cls(**share.ask())
            return cls._shared

    def tenant(
        self,
        name: Optional[str] = None,
        *,
        permissions: Optional[Sequence[str]] = None,
        settings: Optional[Mapping[str, Any]] = None,
    ) -> Tenant:
        """Creates a tenant. Use it in a with statement, or call delete() at the end of the test.

        name consists of 1 to 63 lower-case letters, digits and hyphens, and is unique on
        the server; the default is a random name. permissions limits those of the client, which
        has all by default.
        """
        body = {"name": name, "permissions": permissions, "settings": settings}
        return Tenant(self, self.control("POST", "/tenants", {k: v for k, v in body.items() if v is not None}))

    def control(self, method: str, path: str, body: Any = None, *, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Calls the control API and returns the JSON of the response, or None if it is empty.

        path is relative to /control/v1. Raises APIError if the call is refused.
        """
        return self._control_response(method, path, body, query=query).check().json()

    def _control_response(
        self, method: str, path: str, body: Any = None, *, query: Optional[Mapping[str, Any]] = None
    ) -> Response:
        """Calls the control API and returns the response, whatever its status is."""
        headers = {}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = self.control_url + "/control/v1" + path + ("?" + urlencode(given) if given else "")
        return self._send(method, url, headers, data)

    def _send(self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes] = None) -> Response:
        """Sends a request to the server. If there is no response because the server has exited, the error
        contains the server's last output."""
        try:
            return send(method, url, headers, body)
        except (OSError, http.client.HTTPException) as error:
            if self._server is not None and self._server.exited():
                raise UnderstudyError(f"{error}; the server has exited:\n{self._server.last_output()}") from error
            raise

    def close(self) -> None:
        """Stops the server, if this object started it."""
        if self._server is not None:
            self._server.stop()
            atexit.unregister(self.close)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _describe(self) -> Dict[str, str]:
        """Returns the arguments with which another process finds this server.

        The token is not one of them, because every process of this machine can ask: workers have it in their environment.
        """
        return {"control_url": self.control_url, "api_url": self.api_url}

    def __repr__(self) -> str:
        return f"Sandbox(control_url={self.control_url!r}, api_url={self.api_url!r})"
