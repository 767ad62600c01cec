package io.authservice.grpc;

import authservice.clientcredentials.v1.ClientCredentialsServiceGrpc;
import authservice.clientcredentials.v1.IssueTokenRequest;
import authservice.clientcredentials.v1.IssueTokenResponse;
import io.grpc.CallCredentials;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/** What calls send to prove who they are: for {@link Core.Builder#credential}. */
public final class Credentials {
  /** A busy core says how long to wait. */
  private static final int MAX_ATTEMPTS = 5;

  /** An access token of a machine client. It is cached, renewed before it expires, and one renewal serves all callers. */
  public static Function<Channel, CallCredentials> client(String clientId, String clientSecret) {
    IssueTokenRequest request =
        IssueTokenRequest.newBuilder()
            .setGrantType("client_credentials")
            .setClientId(clientId)
            .setClientSecret(clientSecret)
            .build();
    return core -> {
      var client = ClientCredentialsServiceGrpc.newBlockingStub(core);
      Tokens tokens =
          new Tokens(
              () -> {
                for (int attempt = 1; ; attempt++) {
                  try {
                    IssueTokenResponse response = client.issueToken(request);
                    return new Tokens.Issued(response.getAccessToken(), Duration.ofSeconds(response.getExpiresIn()));
                  } catch (StatusRuntimeException error) {
                    // A refused attempt has no effect.
                    Duration wait = Errors.retryAfter(error);
                    if (wait.isZero() || attempt == MAX_ATTEMPTS) throw error;
                    Thread.sleep(wait.toMillis());
                  }
                }
              });
      return bearer(tokens::get);
    };
  }

  /** An API key. */
  public static Function<Channel, CallCredentials> apiKey(String key) {
    return core -> new Header("x-api-key", () -> key);
  }

  /** The access token that the supplier returns, which is called for each call: for the sessions of users. */
  public static Function<Channel, CallCredentials> bearerToken(Supplier<String> token) {
    return core -> bearer(token);
  }

  private static CallCredentials bearer(Supplier<String> token) {
    return new Header("authorization", () -> "Bearer " + token.get());
  }

  private static final class Header extends CallCredentials {
    private final Metadata.Key<String> key;
    private final Supplier<String> value;

    Header(String key, Supplier<String> value) {
      this.key = Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER);
      this.value = value;
    }

    /** gRPC calls this for each call. It must not block the thread. */
    @Override
    public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
      executor.execute(
          () -> {
            try {
              Metadata metadata = new Metadata();
              metadata.put(key, value.get());
              applier.apply(metadata);
            } catch (StatusRuntimeException error) {
              applier.fail(error.getStatus());
            } catch (RuntimeException error) {
              applier.fail(Status.INTERNAL.withCause(error));
            }
          });
    }
  }

  private Credentials() {}
}
