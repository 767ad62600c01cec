package com.example.greeter;

import authservice.clientcredentials.v1.ClientCredentialsServiceGrpc;
import authservice.clientcredentials.v1.ClientCredentialsServiceGrpc.ClientCredentialsServiceBlockingStub;
import authservice.clientcredentials.v1.IssueTokenRequest;
import authservice.identity.v1.GetMeRequest;
import authservice.identity.v1.IdentityServiceGrpc;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A machine client. */
final class Machine {
  /**
   * Gets a token as a machine client and calls the core with it for CORE_SECONDS. The service config retries calls that the
   * network interrupts, so that the stop of one core fails no call.
   */
  static void machine(Channel core) throws InterruptedException {
    var credentials = ClientCredentialsServiceGrpc.newBlockingStub(core);
    String id = System.getenv("CORE_CLIENT_ID");
    String secret = System.getenv("CORE_CLIENT_SECRET");
    Token token = issueToken(credentials, id, secret);
    System.out.println("token after attempts: " + token.attempts);

    Metadata metadata = new Metadata();
    metadata.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token.text);
    var identity =
        IdentityServiceGrpc.newBlockingStub(core).withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    int calls = 0;
    Map<String, Integer> failures = new TreeMap<>();
    long end = System.nanoTime() + Duration.ofSeconds(Long.parseLong(System.getenv("CORE_SECONDS"))).toNanos();
    for (; calls == 0 || System.nanoTime() < end; calls++) {
      try {
        identity.withDeadlineAfter(5, TimeUnit.SECONDS).getMe(GetMeRequest.getDefaultInstance());
      } catch (StatusRuntimeException error) {
        failures.merge(error.getMessage(), 1, Integer::sum);
      }
      Thread.sleep(1);
    }
    System.out.println("calls: " + calls);
    System.out.println("failures: " + failures.size());
    failures.forEach((text, count) -> System.out.println(count + " " + text));

    // Get the next token, as a client does before the first one expires.
    System.out.println("next token after attempts: " + issueToken(credentials, id, secret).attempts);
  }

  // snippet:start machine
  record Token(String text, int attempts) {}

  /**
   * Gets an access token for a machine client. If the core is busy, it waits as long as the core asks and tries again. A refused
   * attempt has no effect.
   */
  static Token issueToken(ClientCredentialsServiceBlockingStub client, String id, String secret)
      throws InterruptedException {
    IssueTokenRequest request =
        IssueTokenRequest.newBuilder()
            .setGrantType("client_credentials")
            .setClientId(id)
            .setClientSecret(secret)
            .build();
    for (int attempts = 1; ; attempts++) {
      try {
        return new Token(client.withDeadlineAfter(5, TimeUnit.SECONDS).issueToken(request).getAccessToken(), attempts);
      } catch (StatusRuntimeException error) {
        Duration wait = Errors.retryAfter(error);
        if (wait.isZero() || attempts == 5) throw error;
        Thread.sleep(wait.toMillis());
      }
    }
  }

  // snippet:end

  private Machine() {}
}
