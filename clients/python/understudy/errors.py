"""The errors that this package raises."""

from http.client import responses
from typing import Any, Dict, List


class UnderstudyError(Exception):
    """The base class of all errors of this package."""


class StartError(UnderstudyError):
    """The server's binary was not found, or the server did not start."""


class APIError(UnderstudyError):
    """The server refused a call of the API or the control API."""

    def __init__(self, call: str, status: int, message: str, hint: str) -> None:
        text = f"{call}: {status} {responses.get(status, '')}: {message}"
        if hint and hint != message:
            text += f"\nhint: {hint}"
        super().__init__(text)
        self.call = call  #: method and path
        self.status = status  #: status code of the response
        self.message = message  #: from the body of the response
        self.hint = hint  #: how to fix the call; "" if the server gave no hint


class NoEventError(UnderstudyError, AssertionError):
    """An event did not happen within the timeout."""

    def __init__(self, message: str, seen: List[Dict[str, Any]]) -> None:
        super().__init__(message)
        self.seen = seen  #: the newest other events, in the form of await_event
