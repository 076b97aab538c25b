"""Fixtures of these tests. Those of the plugin come from the option -p understudy.pytest_plugin."""

import pytest

from understudy.process import find_binary


@pytest.fixture
def understudy_bin() -> str:
    return find_binary()
