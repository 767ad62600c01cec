"""A cache of an access token."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

# The wait after a failed renewal, while the old token is still valid.
PAUSE_SECONDS = 0.5


class Tokens:
    """Caches an access token for the calls of several threads.

    It renews the token in the last quarter of its lifetime. Parallel callers share one renewal. A failed renewal is not kept:
    callers get the old token while it is valid, and the next caller tries again.
    """

    def __init__(self, renew: Callable[[], tuple[str, float]], first: tuple[str, float] | None = None):
        """renew returns a token and its lifetime in seconds. Without a first token, the first call gets one."""
        self._renew = renew
        self._lock = threading.Lock()
        self._running: Future[str] | None = None
        self._token, self._renew_at, self._expires_at = "", 0.0, 0.0
        if first:
            self._set(*first)

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Returns the metadata of one call. Ask for it again for each call."""
        return (("authorization", f"Bearer {self.get()}"),)

    def get(self) -> str:
        """Returns a valid token."""
        return self.renew_once(forced=False)

    def renew_once(self, forced: bool = True) -> str:
        """Joins a running renewal, or carries one out. If it is not forced, a token that needs no renewal is enough."""
        with self._lock:
            if not forced and time.monotonic() < self._renew_at:
                return self._token
            running = self._running
            if running is None:
                self._running = mine = Future()
        if running is not None:
            return running.result()
        try:
            token, lifetime = self._renew()
        except BaseException as error:
            with self._lock:
                self._running = None
                self._renew_at = min(time.monotonic() + PAUSE_SECONDS, self._expires_at)
                token = self._token if time.monotonic() < self._expires_at else ""
            if token:
                mine.set_result(token)
            else:
                mine.set_exception(error)
        else:
            with self._lock:
                self._running = None
                self._set(token, lifetime)
            mine.set_result(token)
        return mine.result()

    def _set(self, token: str, lifetime: float) -> None:
        now = time.monotonic()
        self._token, self._renew_at, self._expires_at = token, now + lifetime * 3 / 4, now + lifetime
