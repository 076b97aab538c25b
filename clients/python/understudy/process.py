"""Starts a server and stops it."""

import os
import queue
import re
import shutil
import subprocess
import threading
from collections import deque
from typing import IO, Deque, Optional, Tuple

from .errors import StartError

START_TIMEOUT = 120.0  # seconds
STOP_TIMEOUT = 30.0

#: The environment variables that configure the server. They are not passed on to a
#: server that is started here: in a test's environment they are meant for the tested program.
SERVER_VARIABLES = frozenset(
    """
    LISTEN_ADDR CONTROL_ADDR DATABASE_URL DATABASE_URL_FILE DATA_DIR EPHEMERAL EXIT_WITH_PARENT OBJECTS_URL
    ENVIRONMENT PROFILE PUBLIC_URL TRUSTED_PROXIES CORS_ORIGINS CONTROL_HOSTS CONTROL_TOKEN CONTROL_TOKEN_FILE CONTROL_TOKENS
    CONTROL_TOKENS_FILE MASTER_KEY MASTER_KEY_FILE DATABASE_CONNECTIONS LOCK_TIMEOUT STATEMENT_TIMEOUT
    BACKGROUND_LOCK_TIMEOUT BACKGROUND_STATEMENT_TIMEOUT HINTS MAX_UPLOAD_BYTES MIN_FREE_BYTES MIN_TRANSFER_RATE
    MAX_CONNECTIONS_PER_ADDRESS KEEP_SUBMISSIONS KEEP_UPLOADS LOG_FORMAT LOG_LEVEL READ_TIME READ_MEMORY_BYTES
    READ_MEMORY_TOTAL_BYTES SEED STOP_DELAY TLS_CERT TLS_KEY WEBHOOK_ALLOW WEBHOOK_PROXY WEBHOOK_PROXY_FILE WEBHOOK_CA
    WEBHOOK_CLIENT_CERT WEBHOOK_CLIENT_KEY SIGNATURE_DIGEST SIGNATURE_PREFIX
    """.split()
)

#: Matches the log line of a server that is ready.
READY_LINE = re.compile(r'\bmsg"?[=:]"?ready"?[ ,]"?api"?[=:]"?([^\s"]+)"?[ ,]"?control"?[=:]"?([^\s"]+)"?}?\s*$')


def find_binary() -> str:
    """Returns the path of the server's binary. Raises StartError if there is none."""
    path = os.environ.get("UNDERSTUDY_BIN") or shutil.which("understudy")
    if not path:
        raise StartError(
            "the server was not found: set UNDERSTUDY_BIN to the path of its binary, or install understudy in a "
            "directory of PATH; or start a server and set UNDERSTUDY_CONTROL_URL to the URL of its control listener"
        )
    return path


class Server:
    """A server that this process started. It stops when its standard input is closed or this process ends."""

    def __init__(self, binary: str) -> None:
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in SERVER_VARIABLES and not name.startswith("OTEL_")
        }
        command = [binary, "--ephemeral", "--exit-with-parent", "--listen=127.0.0.1:0", "--control=127.0.0.1:0"]
        try:
            # In a session of its own, so that Ctrl-C does not stop the server before the tests are cleaned up.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise StartError(f"start the server: {error}") from error
        self._owner = os.getpid()
        self._last_lines: Deque[str] = deque(maxlen=50)
        ready: "queue.Queue[Optional[Tuple[str, str]]]" = queue.Queue()
        assert self._process.stderr is not None
        self._reader = threading.Thread(target=self._read_output, args=(self._process.stderr, ready), daemon=True)
        self._reader.start()
        try:
            urls = ready.get(timeout=START_TIMEOUT)
        except queue.Empty:
            self._process.kill()
            raise StartError(f"the server was not ready after {START_TIMEOUT:g} s:\n{self.last_output()}") from None
        except BaseException:  # such as KeyboardInterrupt
            self.stop()
            raise
        if urls is None:
            self.stop()
            raise StartError(f"the server did not start:\n{self.last_output()}")
        self.api_url, self.control_url = urls

    def _read_output(self, output: IO[bytes], ready: "queue.Queue[Optional[Tuple[str, str]]]") -> None:
        with output:
            for raw in output:
                line = raw.decode(errors="replace")
                self._last_lines.append(line)
                found = READY_LINE.search(line)
                if found:
                    ready.put((found.group(1), found.group(2)))
        ready.put(None)

    def exited(self) -> bool:
        """Reports whether the server has exited."""
        return self._process.poll() is not None

    def last_output(self) -> str:
        """Returns the last lines of the server's log."""
        return "".join(self._last_lines)

    def stop(self) -> None:
        """Stops the server, and waits until it has exited."""
        if os.getpid() != self._owner:  # a forked process
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_TIMEOUT)
