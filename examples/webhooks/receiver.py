"""A webhook receiver that verifies signatures.

    SECRET=s3cret python3 examples/webhooks/receiver.py

It listens on 127.0.0.1, port 9000 or PORT, and prints each event.
"""

import hashlib
import hmac
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["SECRET"].encode()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        expected = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        valid = hmac.compare_digest(expected, self.headers.get("X-Signature", ""))
        self.send_response(204 if valid else 401)
        self.end_headers()
        print(self.headers["X-Emperor-Event"] + ", signature", "valid" if valid else "invalid", flush=True)
        print(body.decode(), flush=True)

    def log_message(self, *args):
        pass


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
