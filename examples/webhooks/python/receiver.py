"""Receives webhooks: checks their signatures and prints their events."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
# A delivery can arrive twice. A service of several processes keeps the ids in its database.
processed: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        # The signature is of these bytes: do not parse and format them again.
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            event = webhook.verify(body.decode(), headers)
        except WebhookVerificationError:
            self.respond(400)
            return
        if headers["webhook-id"] not in processed:
            print(f"event {event['type']}", flush=True)
        processed.add(headers["webhook-id"])
        self.respond(204)

    def respond(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Prints no line for each request."""


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)
print("listening", flush=True)
server.serve_forever()
