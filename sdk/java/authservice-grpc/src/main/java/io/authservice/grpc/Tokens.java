package io.authservice.grpc;

import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Caches an access token for the calls of several threads.
 *
 * <p>It renews the token in the last quarter of its lifetime. Parallel callers share one renewal. A failed renewal is not kept:
 * callers get the old token while it is valid, and the next caller tries again.
 */
public final class Tokens {
  /** An access token and its lifetime. */
  public record Issued(String token, Duration lifetime) {}

  /** Gets the next token. */
  public interface Renewal {
    Issued renew() throws InterruptedException;
  }

  /** The wait after a failed renewal, while the old token is still valid. */
  private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  private final Renewal renewal;
  private String token;
  private long renewAt;
  private long expiresAt;
  private CompletableFuture<String> renewing;

  /** Starts without a token: the first call gets one. */
  public Tokens(Renewal renewal) {
    this.renewal = renewal;
  }

  /** Starts with a token. */
  public Tokens(Issued first, Renewal renewal) {
    this.renewal = renewal;
    set(first);
  }

  /** Returns a valid token. */
  public String get() {
    return renewOnce(false);
  }

  /** Joins a running renewal, or carries one out. If it is not forced, a token that needs no renewal is enough. */
  public String renewOnce(boolean forced) {
    CompletableFuture<String> mine = new CompletableFuture<>();
    CompletableFuture<String> running;
    synchronized (this) {
      if (!forced && token != null && System.nanoTime() - renewAt < 0) return token;
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
        long now = System.nanoTime();
        boolean isValid = token != null && now - expiresAt < 0;
        renewAt = isValid && expiresAt - now > PAUSE_NANOS ? now + PAUSE_NANOS : expiresAt;
        if (isValid) mine.complete(token);
        else {
          token = null;
          mine.completeExceptionally(error instanceof RuntimeException ? error : Status.CANCELLED.asRuntimeException());
        }
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
