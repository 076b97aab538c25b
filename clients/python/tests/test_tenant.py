"""Tests of the tenant's methods, on a real server."""

import threading
from datetime import timedelta

import pytest

from understudy import APIError, NoEventError, Sandbox, Tenant

LETTER = b"Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n"
STATUS = "GET /universal/v2/universal-submit/status/{tx_id}"


def test_submission_completes(tenant: Tenant) -> None:
    tenant.settings(pacing={"mode": "immediate"})
    tx_id = tenant.submit("letter.txt", LETTER)
    assert tenant.wait(tx_id) == "Completed"
    assert tenant.status(tx_id) == "Completed"
    facts = tenant.inquiry(tx_id)["data"]["facts"]
    assert facts["company_name"] == "Foxglove Bakery LLC"
    assert isinstance(tenant.inquiry(tx_id, tenant.location_package_id)["data"], list)
    tenant.assert_no_findings()


def test_filename_that_needs_escaping(tenant: Tenant) -> None:
    name = 'Schadenübersicht "2026".txt'
    tx_id = tenant.submit(name, LETTER.decode(), "text/plain")
    assert tenant.control("GET", f"/transactions/{tx_id}")["filename"] == name


def test_outcome_and_clock(tenant: Tenant) -> None:
    tenant.outcome("broken.*", status="Failed", after=timedelta(seconds=5))
    tx_id = tenant.submit("broken.txt", LETTER)
    effects = tenant.advance(timedelta(minutes=1))
    assert [e["status"] for e in effects if e["kind"] == "state"][-1] == "Failed"
    assert tenant.status(tx_id) == "Failed"
    assert tenant.wait(tx_id) == "Failed"


def test_frozen_clock(tenant: Tenant) -> None:
    tenant.freeze()
    tenant.set_clock(tenant.now() + timedelta(days=1))
    assert tenant.now() == tenant.now()
    tx_id = tenant.submit("letter.txt", LETTER)
    with pytest.raises(NoEventError, match="has not ended within 0 s; its status is Submission_in_progress"):
        tenant.wait(tx_id, timeout=0)
    tenant.unfreeze()
    tenant.advance("1h")
    assert tenant.wait(tx_id) == "Completed"


def test_fault(tenant: Tenant) -> None:
    tx_id = tenant.submit("letter.txt", LETTER)
    tenant.fault(STATUS, status=503, times=1)
    with pytest.raises(APIError) as raised:
        tenant.status(tx_id)
    assert raised.value.status == 503
    assert tenant.status(tx_id) != ""
    assert tenant.faults()[0]["acted"] == 1
    assert [r["status"] for r in tenant.requests(STATUS)] == [200, 503]
    assert len(tenant.requests(status="5xx")) == 1
    tenant.clear_faults()
    assert tenant.faults() == []


def test_token_expires(tenant: Tenant) -> None:
    tx_id = tenant.submit("letter.txt", LETTER)
    token = tenant.token()
    assert tenant.status(tx_id, token=token)
    tenant.advance("12h1s")
    with pytest.raises(APIError) as raised:
        tenant.status(tx_id, token=token)
    assert raised.value.status == 401
    assert tenant.status(tx_id) == "Completed"  # with a new token


def test_errors_have_status_message_and_hint(tenant: Tenant) -> None:
    with pytest.raises(APIError) as raised:
        tenant.status("01a2026c-9509-7364-8e1b-88a841bf7f26")
    error = raised.value
    assert (error.status, error.message) == (404, "Transaction not found")
    assert "use the tx_id of the file-upload-url response" in error.hint
    assert error.hint in str(error)
    with pytest.raises(APIError, match="rate_limits"):
        tenant.settings(rate_limits=5)


def test_await_event(tenant: Tenant) -> None:
    with pytest.raises(NoEventError, match="no event universal_submit:completed within 0.2 s; events seen instead:"):
        tenant.await_event("universal_submit:completed", timeout=0.2)
    waiting = threading.Thread(target=tenant.await_event, args=("universal_submit:completed",), kwargs={"timeout": 30})
    waiting.start()
    tx_id = tenant.submit("letter.txt", LETTER)
    tenant.advance("1m")
    waiting.join()
    event = tenant.await_event("universal_submit:completed", tx_id=tx_id)
    assert (event["tx_id"], event["data"]["status"]) == (tx_id, "Completed")
    with pytest.raises(NoEventError):
        tenant.await_event("universal_submit", after=event["cursor"], timeout=0)


def test_findings(tenant: Tenant) -> None:
    tenant.assert_no_findings()
    token = tenant.token()
    tx_id = tenant.submit("letter.txt", LETTER)
    tenant.advance("13h")
    for _ in range(3):
        with pytest.raises(APIError):
            tenant.status(tx_id, token=token)
    assert tenant.findings()
    with pytest.raises(AssertionError, match=f"findings about the clients of tenant {tenant.name}:"):
        tenant.assert_no_findings()


def test_reset(tenant: Tenant) -> None:
    tx_id = tenant.submit("letter.txt", LETTER)
    tenant.reset()
    with pytest.raises(APIError):
        tenant.status(tx_id)


def test_tenant_with_name_permissions_and_settings(understudy: Sandbox, tenant: Tenant) -> None:
    name = tenant.name[:40] + "-reader"
    with understudy.tenant(name, permissions=["::data/v2:get"], settings={"rate_limit": 7}) as reader:
        assert reader.name == name
        assert reader.settings()["rate_limit"] == 7
        with pytest.raises(APIError) as raised:
            reader.submit("letter.txt", LETTER)
        assert raised.value.status == 403
        assert reader.client_secret not in repr(reader)


def test_delete(understudy: Sandbox, tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_KEEP_TENANTS", "1")
    tenant.delete()
    assert tenant.now()
    monkeypatch.delenv("UNDERSTUDY_KEEP_TENANTS")
    tenant.delete()
    with pytest.raises(APIError) as raised:
        tenant.now()
    assert raised.value.status == 404
    tenant.delete()  # nothing to do
