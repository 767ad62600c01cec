"""What calls send to prove who they are."""

import threading
import time
from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Callable
from concurrent.futures import Future

import grpc

from authservice._errors import retry_after
from authservice.clientcredentials.v1.client_credentials_service_pb2 import IssueTokenRequest
from authservice.clientcredentials.v1.client_credentials_service_pb2_grpc import ClientCredentialsServiceStub

# The wait after a failed renewal, while the old token is still valid.
PAUSE_SECONDS = 0.5
# A busy core says how long to wait.
MAX_ATTEMPTS = 5


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


class Credential(ABC):
    """What each call sends."""

    @abstractmethod
    def metadata(self, core: grpc.Channel) -> tuple[str, str]:
        """Returns the metadata of one call. The channel sends no credential."""


class ClientCredentials(Credential):
    """An access token of a machine client. It is cached, renewed before it expires, and one renewal serves all callers."""

    def __init__(self, client_id: str, client_secret: str):
        self._request = IssueTokenRequest(grant_type="client_credentials", client_id=client_id, client_secret=client_secret)
        self._core: grpc.Channel | None = None
        self.tokens = Tokens(self._issue)

    def metadata(self, core: grpc.Channel) -> tuple[str, str]:
        self._core = core
        return ("authorization", f"Bearer {self.tokens.get()}")

    def _issue(self) -> tuple[str, float]:
        client = ClientCredentialsServiceStub(self._core)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                response = client.IssueToken(self._request)
                return response.access_token, response.expires_in
            except grpc.RpcError as error:
                # A refused attempt has no effect.
                wait = retry_after(error)
                if not wait or attempt == MAX_ATTEMPTS:
                    raise
                time.sleep(wait)
        raise AssertionError("unreachable")


class ApiKey(Credential):
    """An API key."""

    def __init__(self, key: str):
        self._key = key

    def metadata(self, core: grpc.Channel) -> tuple[str, str]:
        return ("x-api-key", self._key)


class BearerToken(Credential):
    """The access token that a function returns, which is called for each call: for the sessions of users."""

    def __init__(self, get: Callable[[], str]):
        self._get = get

    def metadata(self, core: grpc.Channel) -> tuple[str, str]:
        return ("authorization", f"Bearer {self._get()}")


def with_credential(core: grpc.Channel, credential: Credential) -> grpc.Channel:
    """Returns a channel whose calls send the credential."""
    return grpc.intercept_channel(core, _Interceptor(core, credential))


_FIELDS = ("method", "timeout", "metadata", "credentials", "wait_for_ready", "compression")


class _Details(namedtuple("_Details", _FIELDS), grpc.ClientCallDetails):
    pass


class _Interceptor(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    def __init__(self, core: grpc.Channel, credential: Credential):
        self._core = core
        self._credential = credential

    def _intercept(self, continuation, details, request):
        values = {name: getattr(details, name, None) for name in _FIELDS}
        values["metadata"] = [*(values["metadata"] or ()), self._credential.metadata(self._core)]
        return continuation(_Details(**values), request)

    intercept_unary_unary = _intercept
    intercept_unary_stream = _intercept
    intercept_stream_unary = _intercept
    intercept_stream_stream = _intercept
