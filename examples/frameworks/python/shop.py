"""A service that accepts access tokens of the auth service by the key set, and refuses those of ended sessions."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# snippet:start check

import requests
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from revocations import Revocations


class Check:
    def __init__(self, issuer: str, audience: str, tenant: str, revocations: Revocations) -> None:
        self._issuer, self._tenant, self._revocations = issuer, tenant, revocations
        self._keys = KeySet([])
        self._rules = jwt.JWTClaimsRegistry(
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "value": audience},
            exp={"essential": True},
            sub={"essential": True},
            # The keys are those of all tenants.
            tenantId={"essential": True, "value": tenant},
        )

    def claims(self, text: str) -> dict | None:
        """Returns the claims of a token, or None for an invalid token. Raises if the check is impossible."""
        try:
            token = self._decode(text)
            self._rules.validate(token.claims)
        except (JoseError, ValueError):
            return None
        if token.header.get("typ") != "at+jwt" or self._revocations.refuses(token.claims):
            return None
        return token.claims

    def _decode(self, text: str) -> jwt.Token:
        try:
            return jwt.decode(text, self._keys, algorithms=["ES256"])
        except (JoseError, ValueError):
            # Perhaps a new key. A service with many callers asks at most once a second.
            response = requests.get(requests.compat.urljoin(self._issuer, "/.well-known/jwks.json"), timeout=5)
            response.raise_for_status()
            self._keys = KeySet.import_key_set(response.json())
            return jwt.decode(text, self._keys, algorithms=["ES256"])


# snippet:end

if __name__ == "__main__":
    environment = os.environ
    issuer = environment["AUTH_ISSUER"]
    check = Check(
        issuer,
        environment["AUTH_AUDIENCE"],
        environment["AUTH_TENANT"],
        Revocations(issuer, environment["AUTH_CLIENT_ID"], environment["AUTH_CLIENT_SECRET"]),
    )

    class Shop(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            scheme, _, token = self.headers.get("Authorization", "").partition(" ")
            try:
                claims = check.claims(token) if scheme.lower() == "bearer" else None
                self.send_response(401 if claims is None else 200)
            except Exception:
                # The token may be valid, so never return 401.
                self.send_response(503)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", int(environment.get("PORT", "8081"))), Shop)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
