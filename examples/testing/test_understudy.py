"""Example tests of a client against a running Understudy. Requires only Python:

    python3 -m unittest -v test_understudy.py

UNDERSTUDY_CONTROL_URL is the URL of the control listener, by default that of
`go run ./cmd/server`. UNDERSTUDY_CONTROL_TOKEN is its token, if it requires
one. UNDERSTUDY_API_URL is the URL of the API, by default the one that the
control listener reports. Replace the method status with your client.
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
    """Sends a request; returns the status code and the JSON of the response."""
    request = urllib.request.Request(url, method=method, headers=headers, data=body)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.loads(response.read() or "null")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read() or "null")


class Sandbox:
    """A tenant for one test, deleted when the test ends."""

    def __init__(self, test):
        self.path = ""
        self.api = os.environ.get("UNDERSTUDY_API_URL") or self.control("GET", "")["api_url"]
        tenant = self.control("POST", "/tenants", {})
        self.path = "/tenants/" + tenant["name"]
        self.client_id, self.client_secret, self.api_key = tenant["client_id"], tenant["client_secret"], tenant["api_key"]
        test.addCleanup(self.control, "DELETE", "")

    def control(self, method, path, body=None):
        """Calls the control API; the path is relative to the tenant's."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if CONTROL_TOKEN:
            headers["Authorization"] = "Bearer " + CONTROL_TOKEN
        data = json.dumps(body).encode() if body is not None else None
        code, result = call(method, CONTROL + self.path + path, headers, data)
        if code >= 300:
            raise AssertionError(f"{method} {path}: {code} {result}")
        return result

    def token(self):
        credentials = base64.b64encode(f"{self.client_id}:{self.client_secret}".encode()).decode()
        code, grant = call("POST", self.api + "/auth/token?grant_type=client_credentials", {"Authorization": "Basic " + credentials})
        assert code == 200, grant
        return grant["access_token"]

    def submit(self, filename, document):
        """Submits a document as a client does; returns the tx_id."""
        headers = {"Authorization": "Bearer " + self.token(), "x-api-key": self.api_key}
        submit_url = self.api + "/universal/v2/universal-submit/"
        code, upload = call("POST", submit_url + "file-upload-url", headers | {"Content-Type": "application/json"},
                            json.dumps({"filename": filename}).encode())
        assert code == 200, upload
        form = (f'--b\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
                f"Content-Type: text/plain\r\n\r\n{document}\r\n--b--\r\n").encode()
        code, result = call("PUT", upload["upload_url"], {"Content-Type": "multipart/form-data; boundary=b"}, form)
        assert code == 200, result
        code, result = call("POST", submit_url + "file/" + upload["tx_id"], headers)
        assert code == 200, result
        return upload["tx_id"]

    def status(self, token, tx_id):
        """Gets the status code and the state of a submission. Stands for your client."""
        code, result = call("GET", self.api + STATUS + tx_id, {"Authorization": "Bearer " + token, "x-api-key": self.api_key})
        return code, result.get("status")


class UnderstudyTest(unittest.TestCase):
    def test_failure(self):
        """A submission fails on demand, without waiting."""
        s = Sandbox(self)
        s.control("PUT", "/outcomes", {"match": {"filename": "broken.*"}, "status": "Failed"})
        tx_id = s.submit("broken.txt", DOCUMENT)
        s.control("POST", "/clock", {"advance": "1m"})
        self.assertEqual(s.status(s.token(), tx_id), (200, "Failed"))

    def test_unavailable(self):
        """The service is unavailable for one call."""
        s = Sandbox(self)
        tx_id = s.submit("letter.txt", DOCUMENT)
        s.control("POST", "/faults", {"route": "GET " + STATUS + "{tx_id}", "status": 503, "times": 1})
        token = s.token()
        self.assertEqual(s.status(token, tx_id)[0], 503)
        self.assertEqual(s.status(token, tx_id)[0], 200)

    def test_token_expires(self):
        """A token expires after twelve hours."""
        s = Sandbox(self)
        tx_id = s.submit("letter.txt", DOCUMENT)
        token = s.token()
        self.assertEqual(s.status(token, tx_id)[0], 200)
        s.control("POST", "/clock", {"advance": "12h1s"})
        self.assertEqual(s.status(token, tx_id)[0], 401)
        self.assertEqual(s.status(s.token(), tx_id), (200, "Completed"))


if __name__ == "__main__":
    unittest.main()
