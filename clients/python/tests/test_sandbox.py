"""Tests of starting and finding a server."""

import stat
from pathlib import Path

import pytest

from understudy import APIError, Sandbox, StartError, UnderstudyError
from understudy.process import READY_LINE


def without_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UNDERSTUDY_CONTROL_URL", "UNDERSTUDY_API_URL", "UNDERSTUDY_BIN"):
        monkeypatch.delenv(name, raising=False)


def script(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_started_server_ends_with_close(understudy_bin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://the/test's own")  # must not reach the server
    with Sandbox(binary=understudy_bin) as sandbox, sandbox.tenant() as tenant:
        assert tenant.token()
    with pytest.raises(UnderstudyError, match="the server has exited:\n"):
        sandbox.control("GET", "/tenants")


def test_running_server_is_found(understudy: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    without_server(monkeypatch)
    monkeypatch.setenv("UNDERSTUDY_CONTROL_URL", understudy.control_url + "/")
    found = Sandbox()
    assert (found.control_url, found.api_url) == (understudy.control_url, understudy.api_url)
    monkeypatch.setenv("UNDERSTUDY_API_URL", "http://api.example/")
    assert Sandbox().api_url == "http://api.example"
    found.close()
    assert understudy.control("GET", "/tenants") is not None


def test_missing_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    without_server(monkeypatch)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(StartError, match="set UNDERSTUDY_BIN .* or install understudy in a directory of PATH"):
        Sandbox()
    with pytest.raises(StartError, match="/nowhere/understudy"):
        Sandbox(binary="/nowhere/understudy")


def test_server_that_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="the server did not start:\nno room\n"):
        Sandbox(binary=script(tmp_path / "broken", "#!/bin/sh\necho 'no room' >&2; exit 1\n"))


def test_running_server_that_does_not_respond() -> None:
    with pytest.raises(UnderstudyError, match="get the API URL from the server at UNDERSTUDY_CONTROL_URL"):
        Sandbox(control_url="http://127.0.0.1:1")


def test_error_of_the_control_api(understudy: Sandbox) -> None:
    with pytest.raises(APIError, match="POST /control/v1/tenants: 400 Bad Request: ") as raised:
        understudy.tenant("Not A Name")
    assert raised.value.status == 400


@pytest.mark.parametrize(
    "line",
    [
        "level=INFO msg=ready api=http://127.0.0.1:8080 control=http://127.0.0.1:8081\n",
        '{"level":"INFO","msg":"ready","api":"http://127.0.0.1:8080","control":"http://127.0.0.1:8081"}\n',
    ],
)
def test_ready_line(line: str) -> None:
    found = READY_LINE.search(line)
    assert found is not None and found.groups() == ("http://127.0.0.1:8080", "http://127.0.0.1:8081")
