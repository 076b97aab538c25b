"""The forms of responses of the control API. GET /control/v1/openapi.json documents them in full."""

from typing import Any, Dict, List, TypedDict


class Event(TypedDict, total=False):
    """An entry of a tenant's feed."""

    cursor: str  # position in the feed, for the argument after of await_event
    at: str  # in the tenant's time
    kind: str  # "state", "call", "delivery" or "expired"
    event: str  # "subject:action"
    tx_id: str  # missing if the event belongs to no transaction
    data: Dict[str, Any]


class Effect(TypedDict, total=False):
    """What happened while the clock was advanced."""

    kind: str  # "state", "expired" or "delivery"
    at: str
    tx_id: str
    status: str  # kind "state": the new status
    what: str  # kind "expired": "upload_url", "access_token", "client_secret" or "fault"
    delivery: Dict[str, Any]  # kind "delivery": the attempt and its result


class Fault(TypedDict, total=False):
    """A fault, with the number of calls or deliveries that it matched and on how many it acted."""

    id: str
    route: str
    delivery: str
    calls: int
    acted: int


class Finding(TypedDict):
    """A mistake that the tenant's clients have made."""

    rule: str
    message: str
    advice: str
    count: int
    evidence: List[str]  # the ids of calls, delivery attempts or subscriptions that show it


class Request(TypedDict, total=False):
    """A recorded call of the API. Secrets in it are masked."""

    id: str  # X-Request-Id of the response
    at: str
    method: str
    path: str  # with the query
    route: str  # method and pattern
    status: int  # 0 if there was no response
    reason: str  # why the call was refused; "" if it was not
    hint: str
    tx_id: str
    client_id: str
    faults: List[str]  # the ids of the faults that affected it
    request: Dict[str, Any]
    response: Dict[str, Any]


class FiredEvent(TypedDict):
    """An event that was published on request."""

    event_id: str  # X-Request-Id of its deliveries
    subscriptions: int  # how many active subscriptions matched
