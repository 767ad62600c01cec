package io.authservice.grpc;

import com.google.gson.Gson;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * A connection pool to the core. A process needs one.
 *
 * <pre>{@code
 * Core core = Core.builder("dns:///core.internal:50051").credential(Credentials.client(id, secret)).build();
 * var identity = IdentityServiceGrpc.newBlockingStub(core.channel());
 * }</pre>
 *
 * <p>The calls are distributed over all addresses. Calls that change nothing are repeated if a connection fails.
 */
public final class Core implements AutoCloseable {
  /** The largest responses exceed the gRPC default of 4 MiB. */
  private static final int MAX_RESPONSE_BYTES = 32 << 20;

  private static final String CALL_TIMEOUT = "5s";

  private final ManagedChannel connections;
  private final Channel channel;

  private Core(Builder builder) {
    ManagedChannelBuilder<?> channels =
        Grpc.newChannelBuilder(builder.target, builder.tls)
            .defaultServiceConfig(serviceConfig(builder.timeout))
            .maxInboundMessageSize(MAX_RESPONSE_BYTES);
    // grpc-java would send the path of the socket as the host name, which HTTP/2 servers refuse.
    if (builder.target.startsWith("unix:")) channels.overrideAuthority("localhost");
    if (builder.serverName != null) channels.overrideAuthority(builder.serverName);
    connections = channels.build();
    channel = builder.credential == null ? connections : withCredential(builder.credential.apply(connections));
  }

  /**
   * Starts a connection.
   *
   * @param target {@code dns:///core.internal:50051}, or {@code unix:/run/core.sock}
   */
  public static Builder builder(String target) {
    return new Builder(target);
  }

  /** The channel for stubs. Each call sends the credential. */
  public Channel channel() {
    return channel;
  }

  /** Ends all calls. */
  @Override
  public void close() {
    connections.shutdownNow();
  }

  private Channel withCredential(CallCredentials credential) {
    return ClientInterceptors.intercept(
        connections,
        new ClientInterceptor() {
          @Override
          public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            // A credential of the stub has precedence.
            boolean isSet = options.getCredentials() != null;
            return next.newCall(method, isSet ? options : options.withCallCredentials(credential));
          }
        });
  }

  @SuppressWarnings("unchecked")
  private static Map<String, ?> serviceConfig(Duration timeout) {
    Map<String, Object> config;
    try (var text = Core.class.getResourceAsStream("service-config.json")) {
      config = new Gson().fromJson(new InputStreamReader(text, StandardCharsets.UTF_8), Map.class);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    if (timeout == null) return config;
    for (var entry : (List<Map<String, Object>>) config.get("methodConfig")) {
      entry.replace("timeout", CALL_TIMEOUT, timeout.toMillis() / 1000.0 + "s");
    }
    return config;
  }

  /** The options of a connection. */
  public static final class Builder {
    private final String target;
    private ChannelCredentials tls = InsecureChannelCredentials.create();
    private String serverName;
    private Duration timeout;
    private Function<Channel, CallCredentials> credential;

    private Builder(String target) {
      this.target = Objects.requireNonNull(target, "target");
    }

    /** For example {@code TlsChannelCredentials.newBuilder().trustManager(ca).build()}. Default: plain text, for loopback and Unix sockets. */
    public Builder tls(ChannelCredentials tls) {
      this.tls = tls;
      return this;
    }

    /** The name in the core's certificate, if the target does not contain it. */
    public Builder serverName(String serverName) {
      this.serverName = serverName;
      return this;
    }

    /** The deadline of calls that are not streams. Default: 5 s. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** What each call sends. Default: nothing. The function receives the channel without a credential: {@link Credentials}. */
    public Builder credential(Function<Channel, CallCredentials> credential) {
      this.credential = credential;
      return this;
    }

    /** Returns the connection. The first call opens it. */
    public Core build() {
      return new Core(this);
    }
  }
}
