"""Receiver: a webhook receiver in the test's process."""

import hashlib
import hmac
import json
import secrets
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Type

from .errors import APIError, NoEventError

if TYPE_CHECKING:
    from .tenant import Tenant


MAX_DELIVERY = 64 << 20  # bytes; deliveries of the server are smaller


@dataclass(frozen=True)
class ReceivedEvent:
    """A delivery that a receiver got."""

    id: str  #: the same in every delivery of the event
    event: str  #: "subject:action"
    data: Any
    body: bytes  #: as it was received
    headers: Mapping[str, str]  #: with names in lower case
    status: int  #: of the receiver's response


class Receiver:
    """A webhook receiver that is subscribed to a tenant's events.

    It verifies the signature of each delivery. It responds to a delivery with a wrong
    signature with 401 and adds it to rejected, and to every other with status and adds it to events.
    """

    def __init__(self, tenant: "Tenant", events: List[str], status: int, secret: Optional[str], host: str) -> None:
        """Called by Tenant.receiver."""
        self.status = status  #: of responses from now on
        self.secret = secret or secrets.token_hex(16)
        self.events: List[ReceivedEvent] = []
        self.rejected: List[ReceivedEvent] = []
        self._unread: List[ReceivedEvent] = []  # the events that wait has not returned yet
        self._arrived = threading.Condition()
        self._tenant = tenant
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = self.headers.get("Content-Length", "0")
                if not length.isdecimal() or int(length) > MAX_DELIVERY:
                    self.close_connection = True
                    self.send_error(413 if length.isdecimal() else 400)
                    return
                body = self.rfile.read(int(length))
                self.send_response(receiver._receive(body, {k.lower(): v for k, v in self.headers.items()}))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True  # their connections stay open

        self._server = Server(("127.0.0.1" if host == "127.0.0.1" else "", 0), Handler)
        #: URL of the receiver
        self.url = f"http://{host}:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            self.hook_id = tenant.subscribe(self.url, events, secret=self.secret)
        except BaseException:
            self._stop()
            raise

    def _receive(self, body: bytes, headers: Dict[str, str]) -> int:
        """Keeps a delivery, and returns the status of the response."""
        expected = "sha256=" + hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        valid = hmac.compare_digest(expected.encode(), headers.get("x-signature", "").encode())
        content = json.loads(body) if valid else {}
        with self._arrived:
            status = self.status if valid else 401
            received = ReceivedEvent(
                headers.get("x-request-id", ""),
                headers.get("x-emperor-event", ""),
                content.get("data"),
                body,
                headers,
                status,
            )
            (self.events if valid else self.rejected).append(received)
            if valid:
                self._unread.append(received)
            self._arrived.notify_all()
        return status

    def wait(self, event: str = "*", timeout: float = 10.0) -> ReceivedEvent:
        """Waits for the next delivery of an event, and returns it.

        event is "subject:action", a subject, or "*". The next delivery is the first that wait has not returned
        yet, so it can be one that has already arrived. The timeout is in seconds. Raises NoEventError when it
        expires.
        """
        deadline = time.monotonic() + timeout
        with self._arrived:
            while True:
                for i, received in enumerate(self._unread):
                    if event in ("*", received.event, received.event.split(":")[0]):
                        return self._unread.pop(i)
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    break
                self._arrived.wait(remaining)
            seen = [{"id": e.id, "event": e.event, "status": e.status} for e in self.events + self.rejected]
        lines = "".join(f"\n  {e['event']} {e['id']}, responded {e['status']}" for e in seen) or "\n  none"
        raise NoEventError(f"no delivery of {event} within {timeout:g} s; deliveries received:{lines}", seen)

    def close(self) -> None:
        """Deactivates the subscription, and stops the receiver."""
        try:
            self._tenant.control("PUT", f"/hooks/{self.hook_id}", {"active": False})
        except APIError as error:
            if error.status != 404:  # deleted, perhaps with its tenant
                raise
        finally:
            self._stop()

    def _stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
