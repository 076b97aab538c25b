"""Tests of the webhook receiver."""

import http.client

import pytest

from understudy import NoEventError, Tenant


def test_submission_is_delivered(tenant: Tenant) -> None:
    receiver = tenant.receiver(["universal_submit"])
    tx_id = tenant.submit("letter.txt", b"Insured: Foxglove Bakery LLC")
    tenant.advance("1m")
    received = receiver.wait("universal_submit:completed")
    assert received.data["tx_id"] == tx_id
    assert received.headers["x-request-id"] == received.id
    assert receiver.rejected == []


def test_wait_returns_each_delivery_once(tenant: Tenant) -> None:
    receiver = tenant.receiver()
    tenant.fault(delivery="hook:test", duplicate=1, times=1)
    fired = tenant.event("hook:test", {"n": 1})
    assert fired["subscriptions"] == 1
    first, second = receiver.wait("hook:test"), receiver.wait("hook")
    assert first.id == second.id == fired["event_id"]
    assert first.headers["x-delivery-id"] != second.headers["x-delivery-id"]
    with pytest.raises(NoEventError, match="no delivery of \\* within 0 s; deliveries received:\n  hook:test"):
        receiver.wait(timeout=0)


def test_failed_delivery_is_retried(tenant: Tenant) -> None:
    receiver = tenant.receiver(status=500)
    tenant.event("hook:test")
    assert receiver.wait().status == 500
    tenant.await_event("delivery")
    receiver.status = 204
    tenant.advance("1m")
    assert receiver.wait().status == 204
    assert [d["state"] for d in tenant.deliveries()] == ["delivered"]


def test_wrong_signature_is_rejected(tenant: Tenant) -> None:
    receiver = tenant.receiver(secret="s3cret")
    tenant.fault(delivery="*", wrong_signature=True, times=1)
    tenant.event("hook:test")
    tenant.await_event("delivery")
    assert [r.status for r in receiver.rejected] == [401]
    assert receiver.events == []
    tenant.advance("1m")
    assert receiver.wait("hook:test").status == 200


def test_invalid_length_is_refused(tenant: Tenant) -> None:
    receiver = tenant.receiver()
    for length, status in ((str(1 << 40), 413), ("-1", 400), ("many", 400)):
        connection = http.client.HTTPConnection(receiver.url.split("/")[2], timeout=60)
        connection.putrequest("POST", "/")
        connection.putheader("Content-Length", length)
        connection.endheaders()
        assert connection.getresponse().status == status
    assert receiver.rejected == []


def test_close(tenant: Tenant) -> None:
    with tenant.receiver() as receiver:
        host, port = receiver._server.server_address[:2]
    assert tenant.event("hook:test")["subscriptions"] == 0
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection(str(host), int(port), timeout=10).request("POST", "/")
