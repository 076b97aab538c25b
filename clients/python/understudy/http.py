"""HTTP calls. They bypass proxies, and do not use libraries that tests often replace."""

import http.client
import json
from dataclasses import dataclass
from email.message import Message
from typing import Any, Mapping, Optional
from urllib.parse import urlsplit

from .errors import APIError

#: Seconds without a byte from the server before a call fails. Moving a clock or
#: deleting a tenant with much data can take a while.
TIMEOUT = 120.0


@dataclass(frozen=True)
class Response:
    """A response with any status."""

    call: str  #: method and path
    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:
        """Decodes the body; None if it is empty."""
        return json.loads(self.body) if self.body else None

    def check(self) -> "Response":
        """Raises APIError unless the status is 2xx."""
        if self.status // 100 == 2:
            return self
        message = self.body.decode(errors="replace")
        try:
            content = json.loads(message)
            message = next(content[key] for key in ("message", "error_description", "error") if key in content)
        except (ValueError, TypeError, StopIteration):
            pass  # not an error in JSON
        raise APIError(self.call, self.status, message, self.headers.get("X-Understudy-Hint", ""))


def send(method: str, url: str, headers: Mapping[str, str], body: Optional[bytes] = None) -> Response:
    """Sends a request. Raises OSError or http.client.HTTPException if there is no response."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT)
    target = parts.path or "/"
    try:
        connection.request(method, target + ("?" + parts.query if parts.query else ""), body, dict(headers))
        response = connection.getresponse()
        return Response(f"{method} {target}", response.status, response.headers, response.read())
    finally:
        connection.close()
