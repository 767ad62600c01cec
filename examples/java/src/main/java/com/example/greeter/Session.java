package com.example.greeter;

// snippet:start session

import authservice.identity.v1.Account;
import authservice.session.v1.RefreshTokenTransport;
import authservice.session.v1.LoginRequest;
import authservice.session.v1.LoginResponse;
import authservice.session.v1.RefreshRequest;
import authservice.session.v1.RefreshResponse;
import authservice.session.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.TimeUnit;

/** A user's login. Its methods may be called by several threads. */
final class Session {
  /** The session has ended: log in again. */
  static final class LoginNeeded extends Exception {
    LoginNeeded(Throwable cause) {
      super("log in again", cause);
    }
  }

  final Account account;
  final int expiresIn;
  private final SessionServiceBlockingStub client;
  private String accessToken;
  private String refreshToken;

  Session(SessionServiceBlockingStub client, String username, String password) {
    LoginResponse answer =
        client
            .withDeadlineAfter(5, TimeUnit.SECONDS)
            .login(
                LoginRequest.newBuilder()
                    .setUsername(username)
                    .setPassword(password)
                    .setRefreshTokenTransport(RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY)
                    .build());
    this.client = client;
    account = answer.getAccount();
    expiresIn = answer.getExpiresIn();
    accessToken = answer.getAccessToken();
    refreshToken = answer.getRefreshToken();
  }

  /**
   * Renews both tokens. Never repeat it blindly: the second use of a refresh token is a replay and ends the session. After an
   * error with ErrorInfo, nothing has changed.
   */
  synchronized void refresh() throws LoginNeeded {
    if (refreshToken.isEmpty()) throw new LoginNeeded(null);
    RefreshRequest request =
        RefreshRequest.newBuilder()
            .addRefreshTokens(refreshToken)
            .setRefreshTokenTransport(RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY)
            .build();
    try {
      RefreshResponse answer = client.withDeadlineAfter(5, TimeUnit.SECONDS).refresh(request);
      accessToken = answer.getAccessToken();
      refreshToken = answer.getRefreshToken();
    } catch (StatusRuntimeException error) {
      String reason = Errors.reasonOf(error);
      // With another reason the refresh token remains valid: try again after Errors.retryAfter(error).
      if (!reason.isEmpty() && !reason.equals("REFRESH_SESSION_INVALID")) throw error;
      refreshToken = "";
      throw new LoginNeeded(error);
    }
  }

  synchronized String accessToken() {
    return accessToken;
  }

  /** The credentials of stubs that send the access token. */
  ClientInterceptor credential() {
    Metadata metadata = new Metadata();
    metadata.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + accessToken());
    return MetadataUtils.newAttachHeadersInterceptor(metadata);
  }
}

// snippet:end
