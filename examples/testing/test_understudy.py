"""Tests of a client against a running Understudy. Needs Python, nothing else:

    python3 -m unittest -v test_understudy.py

UNDERSTUDY_CONTROL_URL and UNDERSTUDY_CONTROL_TOKEN tell where its control
listener is, when it is not where `go run ./cmd/server` puts it; that one tells
where the API is, unless UNDERSTUDY_API_URL does. Let your client make the calls
that status makes here.
"""

import base64
import json
import os
import unittest
import urllib.error
import urllib.request

CONTROL = os.environ.get("UNDERSTUDY_CONTROL_URL", "http://127.0.0.1:8081") + "/control/v1"
CONTROL_TOKEN = os.environ.get("UNDERSTUDY_CONTROL_TOKEN", "")

DOCUMENT = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n"
STATUS = "/universal/v2/universal-submit/status/"


def call(method, url, headers={}, body=None):
    """The status code of an answer, and the JSON it holds."""
    request = urllib.request.Request(url, method=method, headers=headers, data=body)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or "null")
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.loads(refused.read() or "null")


class Sandbox:
    """A tenant of the test's own, deleted with it."""

    def __init__(self, test):
        self.path = ""
        self.api = os.environ.get("UNDERSTUDY_API_URL") or self.control("GET", "")["api_url"]
        made = self.control("POST", "/tenants", {})
        self.path = "/tenants/" + made["name"]
        self.client_id, self.client_secret, self.api_key = made["client_id"], made["client_secret"], made["api_key"]
        test.addCleanup(self.control, "DELETE", "")

    def control(self, method, path, body=None):
        """Calls the control API; the path is inside the tenant."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if CONTROL_TOKEN:
            headers["Authorization"] = "Bearer " + CONTROL_TOKEN
        data = json.dumps(body).encode() if body is not None else None
        code, answer = call(method, CONTROL + self.path + path, headers, data)
        if code >= 300:
            raise AssertionError(f"{method} {path}: {code} {answer}")
        return answer

    def token(self):
        credentials = base64.b64encode(f"{self.client_id}:{self.client_secret}".encode()).decode()
        code, answer = call("POST", self.api + "/auth/token?grant_type=client_credentials", {"Authorization": "Basic " + credentials})
        assert code == 200, answer
        return answer["access_token"]

    def submit(self, filename, document):
        """Submits a document as a client does; returns its tx_id."""
        headers = {"Authorization": "Bearer " + self.token(), "x-api-key": self.api_key}
        submits = self.api + "/universal/v2/universal-submit/"
        code, place = call("POST", submits + "file-upload-url", headers | {"Content-Type": "application/json"},
                           json.dumps({"filename": filename}).encode())
        assert code == 200, place
        form = (f'--b\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
                f"Content-Type: text/plain\r\n\r\n{document}\r\n--b--\r\n").encode()
        code, answer = call("PUT", place["upload_url"], {"Content-Type": "multipart/form-data; boundary=b"}, form)
        assert code == 200, answer
        code, answer = call("POST", submits + "file/" + place["tx_id"], headers)
        assert code == 200, answer
        return place["tx_id"]

    def status(self, token, tx_id):
        """Asks for a submission's status, as your client does."""
        code, answer = call("GET", self.api + STATUS + tx_id, {"Authorization": "Bearer " + token, "x-api-key": self.api_key})
        return code, answer.get("status")


class UnderstudyTest(unittest.TestCase):
    def test_failure(self):
        """A submission that ends Failed: on demand, and without waiting for it."""
        s = Sandbox(self)
        s.control("PUT", "/outcomes", {"match": {"filename": "broken.*"}, "status": "Failed"})
        tx_id = s.submit("broken.txt", DOCUMENT)
        s.control("POST", "/clock", {"advance": "1m"})
        self.assertEqual(s.status(s.token(), tx_id), (200, "Failed"))

    def test_unavailable(self):
        """A service that is away for one call."""
        s = Sandbox(self)
        tx_id = s.submit("letter.txt", DOCUMENT)
        s.control("POST", "/faults", {"route": "GET " + STATUS + "{tx_id}", "status": 503, "times": 1})
        token = s.token()
        self.assertEqual(s.status(token, tx_id)[0], 503)
        self.assertEqual(s.status(token, tx_id)[0], 200)

    def test_token_expires(self):
        """A token that expires, twelve hours later."""
        s = Sandbox(self)
        tx_id = s.submit("letter.txt", DOCUMENT)
        token = s.token()
        self.assertEqual(s.status(token, tx_id)[0], 200)
        s.control("POST", "/clock", {"advance": "12h1s"})
        self.assertEqual(s.status(token, tx_id)[0], 401)
        self.assertEqual(s.status(s.token(), tx_id), (200, "Completed"))


if __name__ == "__main__":
    unittest.main()
