"""A service that checks access tokens by the key set, and refuses those of ended sessions."""

# snippet:start revocations

import json
import threading
import time
from datetime import datetime

import requests

# Bounds the memory. 100,000 logouts in an hour are 25,000 at a time.
MAX_REVOCATIONS = 1_000_000


class Revocations:
    """The set of ended sessions and grants, revoked tokens, disabled accounts and suspended tenants, by ("session", "01a2…"), with the
    expiry of the last access token. Each stream makes it anew, so it holds those of the last 25 minutes."""

    def __init__(self, issuer: str, client_id: str, client_secret: str) -> None:
        """The client is a resource server."""
        self._issuer, self._client = issuer, {"client_id": client_id, "client_secret": client_secret}
        self._until: dict[tuple[str, str], float] | None = None
        threading.Thread(target=self._follow, daemon=True).start()

    def refuses(self, claims: dict) -> bool:
        """Whether a token is revoked. Raises until the first snapshot is complete."""
        until = self._until
        if until is None:
            raise RuntimeError("the revocations are not known yet")
        named = {"session": "sid", "token": "jti", "grant": "gid", "account": "sub", "tenant": "tenantId"}
        return any(until.get((kind, claims.get(claim, "")), 0) > time.time() for kind, claim in named.items())

    def _follow(self) -> None:
        while True:
            try:
                # The stream ends with its access token, and after ten minutes at most.
                self._read()
            except Exception as error:
                print("revocations:", error, flush=True)
            time.sleep(1)

    def _read(self) -> None:
        """Reads one stream. Until its snapshot is complete, the set of the previous stream stays in force."""
        grant = {"grant_type": "client_credentials", **self._client}
        response = requests.post(f"{self._issuer}/api/v1/auth/token", data=grant, timeout=5)
        response.raise_for_status()
        headers = {"Authorization": f"Bearer {response.json()['access_token']}"}
        # A comment comes every 15 s.
        url = f"{self._issuer}/api/v1/auth/revocations"
        with requests.get(url, headers=headers, stream=True, timeout=(5, 30)) as stream:
            stream.raise_for_status()
            snapshot: dict[tuple[str, str], float] = {}
            event = ""
            # One byte at a time from the buffer of the socket: a larger chunk would wait until it is full.
            for line in stream.iter_lines(chunk_size=1, decode_unicode=True):
                field, _, value = line.partition(": ")
                if field == "event":
                    event = value
                elif field == "data":
                    self._apply(snapshot, event, json.loads(value))

    def _apply(self, snapshot: dict[tuple[str, str], float], event: str, data: dict) -> None:
        if event == "snapshot-end":
            self._until = snapshot
            return
        if len(snapshot) >= MAX_REVOCATIONS:
            raise RuntimeError(f"more than {MAX_REVOCATIONS} revocations")
        for revocations in (snapshot, self._until if self._until is not None else snapshot):
            if data["until"] is None:
                # The account was enabled, or the tenant activated.
                revocations.pop((event, data["id"]), None)
            else:
                revocations[event, data["id"]] = datetime.fromisoformat(data["until"]).timestamp()


# snippet:end
