"""A test without pytest: python3 -m unittest unittest_sandbox.py."""

import unittest

import understudy


class SandboxTest(unittest.TestCase):
    def setUp(self) -> None:
        self.tenant = understudy.Sandbox.shared().tenant()
        self.addCleanup(self.tenant.delete)

    def test_failure(self) -> None:
        self.tenant.outcome("broken.*", status="Failed")
        tx_id = self.tenant.submit("broken.txt", "Insured: Foxglove Bakery LLC")
        self.tenant.advance("1m")
        self.assertEqual(self.tenant.status(tx_id), "Failed")

    def test_server_is_shared(self) -> None:
        self.assertIs(understudy.Sandbox.shared(), understudy.Sandbox.shared())
