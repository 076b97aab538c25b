"""Example tests of a client with pytest. In the root directory of this repository:

    pip install pytest ./clients/python
    pytest examples/testing/test_understudy.py

Replace tenant.submit and tenant.status with your client.
"""

import pytest
from understudy import APIError, Tenant

DOCUMENT = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n"


def test_failure(tenant: Tenant) -> None:
    """A submission fails on demand, without waiting."""
    tenant.outcome("broken.*", status="Failed")
    tx_id = tenant.submit("broken.txt", DOCUMENT)
    tenant.advance("1m")
    assert tenant.status(tx_id) == "Failed"


def test_unavailable(tenant: Tenant) -> None:
    """The service is unavailable for one call."""
    tx_id = tenant.submit("letter.txt", DOCUMENT)
    tenant.fault("GET /universal/v2/universal-submit/status/{tx_id}", status=503, times=1)
    with pytest.raises(APIError, match="503"):
        tenant.status(tx_id)
    assert tenant.wait(tx_id) == tenant.status(tx_id) == "Completed"


def test_token_expires(tenant: Tenant) -> None:
    """A token expires after twelve hours."""
    tx_id = tenant.submit("letter.txt", DOCUMENT)
    token = tenant.token()
    assert tenant.status(tx_id, token=token)
    tenant.advance("12h1s")
    with pytest.raises(APIError, match="401"):
        tenant.status(tx_id, token=token)
    assert tenant.status(tx_id) == "Completed"
