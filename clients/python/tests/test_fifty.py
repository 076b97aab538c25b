"""Fifty tests that can run in parallel on one server: pytest -n 4 tests/test_fifty.py."""

import pytest

from understudy import Tenant


@pytest.mark.parametrize("n", range(50))
def test_submission(tenant: Tenant, n: int) -> None:
    receiver = tenant.receiver(["universal_submit"])
    if n % 2:
        tenant.outcome("letter*", status="Failed")
    tx_id = tenant.submit(f"letter{n}.txt", b"Insured: Foxglove Bakery LLC")
    tenant.advance("1m")
    want = "Failed" if n % 2 else "Completed"
    assert tenant.status(tx_id) == want
    assert receiver.wait(f"universal_submit:{want.lower()}").data["tx_id"] == tx_id
    tenant.assert_no_findings()
