package com.example.greeter;

import authservice.clientcredentials.v1.ClientCredentialsServiceGrpc;
import authservice.clientcredentials.v1.ClientCredentialsServiceGrpc.ClientCredentialsServiceBlockingStub;
import authservice.clientcredentials.v1.IssueTokenRequest;
import authservice.clientcredentials.v1.IssueTokenResponse;
import authservice.identity.v1.GetMeRequest;
import authservice.identity.v1.IdentityServiceGrpc;
import authservice.identity.v1.IdentityServiceGrpc.IdentityServiceBlockingStub;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A machine client. */
final class Machine {
  private final ClientCredentialsServiceBlockingStub client;
  private final AtomicInteger attempts = new AtomicInteger();

  Machine(Channel core) {
    client = ClientCredentialsServiceGrpc.newBlockingStub(core);
  }

  /**
   * Gets an access token for a machine client. If the core is busy, it waits as long as the core asks and tries again. A refused
   * attempt has no effect.
   */
  Tokens.Issued issueToken() throws InterruptedException {
    IssueTokenRequest request =
        IssueTokenRequest.newBuilder()
            .setGrantType("client_credentials")
            .setClientId(System.getenv("CORE_CLIENT_ID"))
            .setClientSecret(System.getenv("CORE_CLIENT_SECRET"))
            .build();
    for (attempts.set(1); ; attempts.incrementAndGet()) {
      try {
        IssueTokenResponse answer = client.withDeadlineAfter(5, TimeUnit.SECONDS).issueToken(request);
        return new Tokens.Issued(answer.getAccessToken(), Duration.ofSeconds(answer.getExpiresIn()));
      } catch (StatusRuntimeException error) {
        Duration wait = Errors.retryAfter(error);
        if (wait.isZero() || attempts.get() == 5) throw error;
        Thread.sleep(wait.toMillis());
      }
    }
  }

  /**
   * Calls the core as a machine client for CORE_SECONDS, with CORE_CALLERS callers that share one token. The stop of
   * one core fails no call: the service config retries calls without a response, and getMe those whose response had begun.
   */
  static void machine(Channel core) throws InterruptedException {
    Machine machine = new Machine(core);
    Tokens tokens = new Tokens(machine::issueToken);
    tokens.get();
    System.out.println("token after attempts: " + machine.attempts);

    var identity = IdentityServiceGrpc.newBlockingStub(core).withCallCredentials(tokens);
    AtomicInteger calls = new AtomicInteger();
    Map<String, Integer> failures = new ConcurrentHashMap<>();
    long end = System.nanoTime() + Duration.ofSeconds(Long.parseLong(System.getenv("CORE_SECONDS"))).toNanos();
    Runnable call =
        () -> {
          do {
            try {
              getMe(identity);
            } catch (StatusRuntimeException error) {
              failures.merge(error.getMessage(), 1, Integer::sum);
            }
            calls.incrementAndGet();
            pause();
          } while (System.nanoTime() < end);
        };
    List<Thread> callers = new ArrayList<>();
    int count = Integer.parseInt(System.getenv().getOrDefault("CORE_CALLERS", "1"));
    for (int i = 0; i < count; i++) callers.add(new Thread(call));
    callers.forEach(Thread::start);
    for (Thread caller : callers) caller.join();
    System.out.println("calls: " + calls);
    System.out.println("failures: " + failures.size());
    failures.forEach((text, number) -> System.out.println(number + " " + text));

    tokens.renewOnce(true);
    System.out.println("next token after attempts: " + machine.attempts);
  }

  private static void getMe(IdentityServiceBlockingStub identity) {
    try {
      identity.withDeadlineAfter(5, TimeUnit.SECONDS).getMe(GetMeRequest.getDefaultInstance());
    } catch (StatusRuntimeException error) {
      if (!Errors.isLost(error)) throw error;
      identity.withDeadlineAfter(5, TimeUnit.SECONDS).getMe(GetMeRequest.getDefaultInstance());
    }
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
