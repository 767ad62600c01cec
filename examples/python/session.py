"""A user's login."""

import grpc

from authservice.session.v1.session_service_pb2 import (
    REFRESH_TOKEN_TRANSPORT_BODY,
    LoginRequest,
    LogoutRequest,
    RefreshRequest,
)
from authservice.session.v1.session_service_pb2_grpc import SessionServiceStub
from errors import reason_of
from tokens import Tokens


class LoginNeeded(Exception):
    """The session has ended: log in again."""


class Session:
    """A user's login. Its methods may be called by several threads."""

    def __init__(self, client: SessionServiceStub, username: str, password: str):
        self._client = client
        request = LoginRequest(username=username, password=password, refresh_token_transport=REFRESH_TOKEN_TRANSPORT_BODY)
        answer = client.Login(request, timeout=5)
        self.account = answer.account
        self.expires_in = answer.expires_in
        self.tokens = Tokens(self._refresh, (answer.access_token, answer.expires_in))
        # Only a renewal uses it, and there is one at a time.
        self._refresh_token = answer.refresh_token

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Returns the metadata of one call. Ask for it again for each call. Raises LoginNeeded if the session has ended."""
        return self.tokens.metadata()

    def _refresh(self) -> tuple[str, float]:
        """Renews both tokens.

        Never repeat it blindly: the second use of a refresh token is a replay and ends the session. After an error with
        ErrorInfo, nothing has changed.
        """
        if not self._refresh_token:
            raise LoginNeeded
        request = RefreshRequest(refresh_tokens=[self._refresh_token], refresh_token_transport=REFRESH_TOKEN_TRANSPORT_BODY)
        try:
            answer = self._client.Refresh(request, timeout=5)
        except grpc.RpcError as error:
            if reason_of(error) in ("", "REFRESH_SESSION_INVALID"):
                self._refresh_token = ""
                raise LoginNeeded from error
            raise  # The refresh token stays good. The next call tries again.
        self._refresh_token = answer.refresh_token
        return answer.access_token, answer.expires_in

    def logout(self) -> None:
        """Ends the session of the access token. After an error it is still open: tell the user, or try again."""
        self._client.Logout(LogoutRequest(), timeout=5, metadata=self.metadata())
