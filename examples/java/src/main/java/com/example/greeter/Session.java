package com.example.greeter;

import authservice.identity.v1.Account;
import authservice.session.v1.LoginRequest;
import authservice.session.v1.LoginResponse;
import authservice.session.v1.LogoutRequest;
import authservice.session.v1.RefreshRequest;
import authservice.session.v1.RefreshResponse;
import authservice.session.v1.RefreshTokenTransport;
import authservice.session.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A user's login. Its methods may be called by several threads. Stubs send its access token by withCallCredentials(session.tokens).
 * A call that returns UNAUTHENTICATED needs a new login.
 */
final class Session {
  private static final RefreshTokenTransport IN_BODY = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;

  final Account account;
  final int expiresIn;
  final Tokens tokens;
  private final SessionServiceBlockingStub client;
  /** Only a renewal uses it, and there is one at a time. */
  private volatile String refreshToken;

  Session(SessionServiceBlockingStub client, String username, String password) {
    LoginResponse answer =
        client
            .withDeadlineAfter(5, TimeUnit.SECONDS)
            .login(
                LoginRequest.newBuilder()
                    .setUsername(username)
                    .setPassword(password)
                    .setRefreshTokenTransport(IN_BODY)
                    .build());
    this.client = client;
    account = answer.getAccount();
    expiresIn = answer.getExpiresIn();
    refreshToken = answer.getRefreshToken();
    tokens = new Tokens(new Tokens.Issued(answer.getAccessToken(), Duration.ofSeconds(expiresIn)), this::refresh);
  }

  /**
   * Renews both tokens. Never repeat it blindly: the second use of a refresh token is a replay and ends the session. After an
   * error with ErrorInfo, nothing has changed.
   */
  private Tokens.Issued refresh() {
    if (refreshToken.isEmpty()) throw loginNeeded(null);
    RefreshRequest request =
        RefreshRequest.newBuilder().addRefreshTokens(refreshToken).setRefreshTokenTransport(IN_BODY).build();
    try {
      RefreshResponse answer = client.withDeadlineAfter(5, TimeUnit.SECONDS).refresh(request);
      refreshToken = answer.getRefreshToken();
      return new Tokens.Issued(answer.getAccessToken(), Duration.ofSeconds(answer.getExpiresIn()));
    } catch (StatusRuntimeException error) {
      String reason = Errors.reasonOf(error);
      // With another reason the refresh token remains valid. The next call tries again.
      if (!reason.isEmpty() && !reason.equals("REFRESH_SESSION_INVALID")) throw error;
      refreshToken = "";
      throw loginNeeded(error);
    }
  }

  /** Ends the session of the access token. After an error the session is still open: tell the user, or try again. */
  void logout() {
    client
        .withCallCredentials(tokens)
        .withDeadlineAfter(5, TimeUnit.SECONDS)
        .logout(LogoutRequest.getDefaultInstance());
  }

  private static StatusRuntimeException loginNeeded(Throwable cause) {
    return Status.UNAUTHENTICATED.withDescription("the session has ended: log in again").withCause(cause).asRuntimeException();
  }
}
