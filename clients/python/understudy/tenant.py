"""Tenant: an isolated part of a server, for one test."""

import base64
import json
import mimetypes
import os
import threading
import time
import uuid
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Type, Union
from urllib.parse import quote

from .errors import APIError, NoEventError
from .http import Response
from .receiver import Receiver
from .types import Effect, Event, Fault, Finding, FiredEvent, Request

if TYPE_CHECKING:
    from .sandbox import Sandbox

#: A duration such as "12h", "1m30s" or timedelta(hours=12).
Duration = Union[str, timedelta]
Time = Union[str, datetime]

_SUBMIT = "/universal/v2/universal-submit"
_MAX_AWAIT = 60.0  # seconds: the longest wait of one control API call
_FINAL_EVENTS = ("universal_submit:completed", "universal_submit:failed")


class Tenant:
    """A tenant, with the credentials that a client needs, and methods to control it.

    token, submit and status call the API, as a client of the tenant does. Everything
    else calls the control API, which faults, permissions and rate limits do not affect.
    Times are on the tenant's clock, except for timeouts.
    """

    def __init__(self, sandbox: "Sandbox", created: Mapping[str, str]) -> None:
        """Called by Sandbox.tenant."""
        self.sandbox = sandbox
        self.api_url = sandbox.api_url
        self.control_url = sandbox.control_url
        self.name = created["name"]
        self.tenant_uuid = created["tenant_uuid"]
        self.client_id = created["client_id"]
        self.client_secret = created["client_secret"]
        self.api_key = created["api_key"]
        self.company_package_id = created["company_package_id"]
        self.location_package_id = created["location_package_id"]
        self.user_id = created["user_id"]
        self._token = ""
        self._token_lock = threading.Lock()
        self._receivers: List[Receiver] = []

    # The API, as a client calls it.

    def token(self) -> str:
        """Requests a new access token, which is valid for 12 hours."""
        body = b"grant_type=client_credentials"
        credentials = f"{quote(self.client_id, safe='')}:{quote(self.client_secret, safe='')}".encode()
        headers = {
            "Authorization": "Basic " + base64.b64encode(credentials).decode(),
            "Content-Type": "application/x-www-form-urlencoded",
        }
        response = self.sandbox._send("POST", self.api_url + "/auth/token", headers, body)
        token: str = response.check().json()["access_token"]
        return token

    def submit(self, filename: str, content: Union[bytes, str], content_type: Optional[str] = None) -> str:
        """Submits a file and returns the tx_id, without waiting for the submission to be processed.

        It makes the calls that a client makes: token, upload URL, upload and trigger. The default of
        content_type is the type of the filename's extension.
        """
        upload = self._call("POST", _SUBMIT + "/file-upload-url", {"filename": filename}).json()
        form, form_type = _form(filename, content.encode() if isinstance(content, str) else content, content_type)
        self.sandbox._send("PUT", upload["upload_url"], {"Content-Type": form_type}, form).check()
        tx_id: str = upload["tx_id"]
        self._call("POST", f"{_SUBMIT}/file/{quote(tx_id, safe='')}")
        return tx_id

    def status(self, tx_id: str, *, token: Optional[str] = None) -> str:
        """Returns the status of a submission, such as "Completed", from the API's status call.

        token is the access token of the call; the default is one that this object reuses until the
        clock is moved.
        """
        response = self._call("GET", f"{_SUBMIT}/status/{quote(tx_id, safe='')}", token=token)
        status: str = response.json()["status"]
        return status

    def _call(self, method: str, path: str, body: Any = None, *, token: Optional[str] = None) -> Response:
        if token is None:
            with self._token_lock:
                self._token = token = self._token or self.token()
        headers = {"Authorization": "Bearer " + token, "x-api-key": self.api_key}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        return self.sandbox._send(method, self.api_url + path, headers, data).check()

    # The control API.

    def control(self, method: str, path: str, body: Any = None, *, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Calls the control API, for operations without a method here: path is relative to the tenant's, such as "/coverage"."""
        return self.sandbox.control(method, self._path(path), body, query=query)

    def _path(self, path: str) -> str:
        return f"/tenants/{quote(self.name, safe='')}{path}"

    def wait(self, tx_id: str, timeout: float = 30.0) -> str:
        """Waits until a submission has ended, and returns its final status: "Completed" or "Failed".

        The timeout is in seconds of real time. Raises NoEventError when it expires.
        """
        deadline = time.monotonic() + timeout
        after: Optional[str] = None
        while True:
            try:
                event = self.await_event(
                    "universal_submit", tx_id=tx_id, after=after, timeout=max(0.0, deadline - time.monotonic())
                )
            except NoEventError as error:
                status = self.control("GET", f"/transactions/{quote(tx_id, safe='')}")["status"]
                message = f"submission {tx_id} has not ended within {timeout:g} s; its status is {status}"
                raise NoEventError(message, error.seen) from None
            if event["event"] in _FINAL_EVENTS:
                status = event["data"]["status"]
                return str(status)
            after = event["cursor"]

    def await_event(
        self, event: str, *, tx_id: Optional[str] = None, timeout: float = 5.0, after: Optional[str] = None
    ) -> Event:
        """Waits for the first event that matches, and returns it at once if it has already happened.

        event is "subject:action", such as "universal_submit:completed", a subject, "call", "delivery", or "*".
        after is the cursor of an event; that one and earlier ones are ignored. The timeout is in seconds of
        real time. Raises NoEventError when it expires.
        """
        deadline = time.monotonic() + timeout
        while True:
            within = min(_MAX_AWAIT, max(0.0, deadline - time.monotonic()))
            query = {"event": event, "within": f"{within:.3f}s", "tx_id": tx_id, "after": after}
            response = self.sandbox._control_response("GET", self._path("/await"), query=query)
            if response.status != 408:
                found: Event = response.check().json()
                return found
            if time.monotonic() >= deadline:
                seen = response.json()["seen"]
                lines = "".join(f"\n  {e['at']} {e['event']} {e.get('tx_id', '')}" for e in seen) or "\n  none"
                raise NoEventError(f"no event {event} within {timeout:g} s; events seen instead:{lines}", seen)

    def inquiry(self, tx_id: str, package_id: Optional[str] = None, version: int = 2) -> Any:
        """Returns the response of the data inquiry of a version, from 1 to 5, for a completed submission.

        The default of package_id is company_package_id.
        """
        query = {"version": version, "package": package_id or self.company_package_id}
        return self.control("GET", f"/transactions/{quote(tx_id, safe='')}/inquiry", query=query)

    def now(self) -> datetime:
        """Returns the current time of the tenant's clock."""
        at: str = self.control("GET", "/clock")["now"]
        return datetime.fromisoformat(at.replace("Z", "+00:00"))

    def advance(self, duration: Duration) -> List[Effect]:
        """Moves the tenant's clock forward, and waits until everything that becomes due in that period is done.

        Returns what happened, in order.
        """
        return self._move_clock({"advance": _duration(duration)})

    def set_clock(self, at: Time) -> List[Effect]:
        """Moves the tenant's clock forward to a time, and otherwise works like advance."""
        return self._move_clock({"set": _time(at)})

    def freeze(self) -> None:
        """Stops the tenant's clock. advance and set_clock still move it."""
        self._move_clock({"frozen": True})

    def unfreeze(self) -> None:
        """Lets the tenant's clock run on from the time that it shows."""
        self._move_clock({"frozen": False})

    def _move_clock(self, change: Mapping[str, Any]) -> List[Effect]:
        effects: List[Effect] = self.control("POST", "/clock", change).get("effects", [])
        self._forget_token()
        return effects

    def _forget_token(self) -> None:
        with self._token_lock:
            self._token = ""

    def settings(self, **changes: Any) -> Dict[str, Any]:
        """Changes settings, such as pacing={"mode": "immediate"} or rate_limit=5, and returns all settings.

        None restores a default.
        """
        method, body = ("PATCH", changes) if changes else ("GET", None)
        settings: Dict[str, Any] = self.control(method, "/settings", body)
        return settings

    def outcome(self, match: Union[str, Mapping[str, str]], **outcome: Any) -> None:
        """Sets how matching submissions and companies end from now on.

        match is a pattern of filenames, such as "broken.*", or a dict with filename, sha256 and company_name. The
        other arguments are status ("Completed", "Failed" or "Review_required"), facts, options, locations,
        packages, raw, and after, a duration.
        """
        body: Dict[str, Any] = {"match": {"filename": match} if isinstance(match, str) else match, **outcome}
        if "after" in body:
            body["after"] = _duration(body["after"])
        self.control("PUT", "/outcomes", body)

    def fault(self, route: Optional[str] = None, **fault: Any) -> Fault:
        """Makes matching calls, or with delivery=... webhook deliveries, fail from now on.

        route is a path of the API, optionally with a method before it, or "*". The other arguments are
        status, body, delay, drop, times, every, probability, seed and expires; for deliveries also duplicate,
        reorder, wrong_signature and truncate. delay and expires are durations.
        """
        body = dict(fault) if route is None else {"route": route, **fault}
        for name in ("delay", "expires"):
            if name in body:
                body[name] = _duration(body[name])
        created: Fault = self.control("POST", "/faults", body)
        return created

    def faults(self) -> List[Fault]:
        """Returns the faults, with the number of calls that each has affected."""
        faults: List[Fault] = self.control("GET", "/faults")["faults"]
        return faults

    def clear_faults(self) -> None:
        """Deletes all faults."""
        self.control("DELETE", "/faults")

    def clear_outcomes(self) -> None:
        """Deletes all outcomes."""
        self.control("DELETE", "/outcomes")

    def subscribe(self, url: str, events: Iterable[str] = ("*",), **subscription: Any) -> str:
        """Creates a webhook subscription and returns its id.

        events are subjects, such as "universal_submit", or "*". The other arguments are name, header and secret.
        """
        body = {"url": url, "events": list(events), "active": True, **subscription}
        hook_id: str = self.control("POST", "/hooks", body)["id"]
        return hook_id

    def unsubscribe(self, hook_id: str) -> None:
        """Deletes a subscription that subscribe created, with its deliveries."""
        self.control("DELETE", f"/hooks/{quote(hook_id, safe='')}")

    def receiver(
        self, events: Iterable[str] = ("*",), *, status: int = 200, secret: Optional[str] = None, host: str = "127.0.0.1"
    ) -> Receiver:
        """Starts a webhook receiver that is subscribed to the events. It stops when the tenant is deleted.

        events are subjects, or "*". status is its response. secret signs the deliveries; the default is a random
        one. host is the name of this machine in the receiver's URL: unless it is 127.0.0.1, the receiver listens on
        all interfaces.
        """
        receiver = Receiver(self, list(events), status, secret, host)
        self._receivers.append(receiver)
        return receiver

    def event(self, name: str, data: Any = None) -> FiredEvent:
        """Publishes an event, named "subject:action", to the tenant's webhook subscriptions."""
        body = {"event": name} if data is None else {"event": name, "data": data}
        fired: FiredEvent = self.control("POST", "/events", body)
        return fired

    def deliveries(self) -> List[Dict[str, Any]]:
        """Returns the webhook deliveries with their attempts, newest first."""
        return self._list("deliveries", {})

    def requests(
        self,
        route: Optional[str] = None,
        *,
        method: Optional[str] = None,
        status: Union[str, int, None] = None,
        tx_id: Optional[str] = None,
        client_id: Optional[str] = None,
        path: Optional[str] = None,
    ) -> List[Request]:
        """Returns the calls of the API that match, newest first.

        route is a method and a pattern, or the pattern alone. status is a code, or a class such as "5xx". path is a
        part of the path or its query.
        """
        query = {"route": route, "method": method, "status": status, "tx_id": tx_id, "client_id": client_id, "q": path}
        return self._list("requests", query)

    def _list(self, name: str, query: Mapping[str, Any]) -> List[Any]:
        entries: List[Any] = []
        before = None
        while True:
            page = self.control("GET", "/" + name, query={**query, "before": before})
            entries += page[name]
            before = page.get("before")
            if not before:
                return entries

    def findings(self) -> List[Finding]:
        """Returns the mistakes that the tenant's clients and webhook receivers have made."""
        findings: List[Finding] = self.control("GET", "/findings")["findings"]
        return findings

    def assert_no_findings(self) -> None:
        """Raises AssertionError with the findings, if there are any."""
        lines = [f"\n  {f['rule']} ({f['count']}): {f['message']}\n    {f['advice']}" for f in self.findings()]
        if lines:
            raise AssertionError(f"findings about the clients of tenant {self.name}:{''.join(lines)}")

    def reset(self) -> None:
        """Deletes everything that belongs to the tenant, and resets its clock and settings. Its credentials stay."""
        self.control("POST", "/reset")
        self._forget_token()

    def delete(self) -> None:
        """Deletes the tenant with all its data, and stops its receivers.

        The tenant is kept if UNDERSTUDY_KEEP_TENANTS is 1.
        """
        try:
            if os.environ.get("UNDERSTUDY_KEEP_TENANTS") != "1":
                self.control("DELETE", "")
        except APIError as error:
            if error.status != 404:  # the test has deleted it
                raise
        finally:
            for receiver in self._receivers:
                receiver.close()

    def __enter__(self) -> "Tenant":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.delete()

    def __repr__(self) -> str:
        return f"Tenant(name={self.name!r}, api_url={self.api_url!r})"


def _duration(duration: Duration) -> str:
    return duration if isinstance(duration, str) else f"{duration.total_seconds():.6f}s"


def _time(at: Time) -> str:
    if isinstance(at, str):
        return at
    if at.tzinfo is None:
        raise ValueError("the time has no time zone")
    return at.isoformat()


def _form(filename: str, content: bytes, content_type: Optional[str]) -> "tuple[bytes, str]":
    """Returns a multipart form with the file, and the form's content type."""
    boundary = uuid.uuid4().hex
    escaped = filename.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    content_type = content_type or mimetypes.guess_type(filename)[0] or "application/octet-stream"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{escaped}"\r\n'
        f"Content-Type: {content_type}\r\n\r\n"
    )
    return head.encode() + content + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"
