"""A user's login."""

# snippet:start session

import threading

import grpc

from authservice.session.v1.session_service_pb2 import REFRESH_TOKEN_TRANSPORT_BODY, LoginRequest, RefreshRequest
from authservice.session.v1.session_service_pb2_grpc import SessionServiceStub
from errors import reason_of


class LoginNeeded(Exception):
    """The session has ended: log in again."""


class Session:
    """A user's login. Its methods may be called by several threads."""

    def __init__(self, client: SessionServiceStub, username: str, password: str):
        self._client = client
        self._lock = threading.Lock()
        request = LoginRequest(username=username, password=password, refresh_token_transport=REFRESH_TOKEN_TRANSPORT_BODY)
        answer = client.Login(request, timeout=5)
        self.account = answer.account
        self.expires_in = answer.expires_in
        self.access_token = answer.access_token
        self._refresh_token = answer.refresh_token

    def refresh(self) -> None:
        """Renews both tokens.

        Never repeat it blindly: the second use of a refresh token is a replay and ends the session. After an error with
        ErrorInfo, nothing has changed.
        """
        with self._lock:
            if not self._refresh_token:
                raise LoginNeeded
            request = RefreshRequest(refresh_tokens=[self._refresh_token], refresh_token_transport=REFRESH_TOKEN_TRANSPORT_BODY)
            try:
                answer = self._client.Refresh(request, timeout=5)
            except grpc.RpcError as error:
                if reason_of(error) in ("", "REFRESH_SESSION_INVALID"):
                    self._refresh_token = ""
                    raise LoginNeeded from error
                raise  # The refresh token stays good: try again after retry_after(error).
            self.access_token = answer.access_token
            self._refresh_token = answer.refresh_token

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata of a call with the access token."""
        return (("authorization", f"Bearer {self.access_token}"),)


# snippet:end
