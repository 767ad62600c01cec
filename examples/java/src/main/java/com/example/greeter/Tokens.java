package com.example.greeter;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Caches an access token. It is the credential of stubs: stub.withCallCredentials(tokens). The stubs can be kept, because each call
 * has the current token.
 *
 * <p>It renews the token in the last quarter of its lifetime. Parallel callers share one renewal. A failed renewal is not kept:
 * callers get the old token while it is valid, and the next caller tries again.
 */
final class Tokens extends CallCredentials {
  /** An access token and its lifetime. */
  record Issued(String token, Duration lifetime) {}

  interface Renewal {
    Issued renew() throws InterruptedException;
  }

  /** The wait after a failed renewal, while the old token is still valid. */
  private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Renewal renewal;
  private String token;
  private long renewAt;
  private long expiresAt;
  private CompletableFuture<String> renewing;

  /** Starts without a token: the first call gets one. */
  Tokens(Renewal renewal) {
    this.renewal = renewal;
  }

  Tokens(Issued first, Renewal renewal) {
    this.renewal = renewal;
    set(first);
  }

  /** gRPC calls this for each call. It must not block the thread. */
  @Override
  public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
    executor.execute(
        () -> {
          try {
            Metadata metadata = new Metadata();
            metadata.put(AUTHORIZATION, "Bearer " + get());
            applier.apply(metadata);
          } catch (StatusRuntimeException error) {
            applier.fail(error.getStatus());
          } catch (RuntimeException error) {
            applier.fail(Status.INTERNAL.withCause(error));
          }
        });
  }

  /** Returns a valid token. */
  String get() {
    synchronized (this) {
      if (token != null && System.nanoTime() < renewAt) return token;
    }
    return renewOnce(false);
  }

  /** Joins a running renewal, or carries one out. If it is not forced, a token that another caller has just renewed is enough. */
  String renewOnce(boolean forced) {
    CompletableFuture<String> mine = new CompletableFuture<>();
    CompletableFuture<String> running;
    synchronized (this) {
      if (!forced && token != null && System.nanoTime() < renewAt) return token;
      running = renewing;
      if (running == null) renewing = mine;
    }
    if (running != null) return join(running);
    try {
      Issued issued = renewal.renew();
      synchronized (this) {
        set(issued);
        renewing = null;
      }
      mine.complete(issued.token);
    } catch (RuntimeException | InterruptedException error) {
      if (error instanceof InterruptedException) Thread.currentThread().interrupt();
      synchronized (this) {
        renewing = null;
        renewAt = System.nanoTime() + PAUSE_NANOS;
        if (token != null && System.nanoTime() < expiresAt) mine.complete(token);
        else mine.completeExceptionally(error instanceof RuntimeException ? error : Status.CANCELLED.asRuntimeException());
      }
    }
    return join(mine);
  }

  private void set(Issued issued) {
    long now = System.nanoTime();
    token = issued.token;
    renewAt = now + issued.lifetime.toNanos() / 4 * 3;
    expiresAt = now + issued.lifetime.toNanos();
  }

  private static String join(CompletableFuture<String> renewal) {
    try {
      return renewal.join();
    } catch (CompletionException failed) {
      throw (RuntimeException) failed.getCause();
    }
  }
}
