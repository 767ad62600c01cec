package com.example.greeter;

import com.google.gson.Gson;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The connection to the core. */
final class Core {

  /** The largest responses exceed the gRPC default of 4 MiB. docs/reference/rpcs.md lists their sizes. */
  private static final int MAX_ANSWER_BYTES = 32 << 20;

  /** Opens the one connection pool of this process to the core. */
  @SuppressWarnings("unchecked")
  static ManagedChannel connect(String address) throws IOException {
    // The service config enables round_robin over all addresses and retries of read-only calls.
    String serviceConfig = Files.readString(Path.of("service-config.json"));
    ManagedChannelBuilder<?> builder =
        Grpc.newChannelBuilder(address, credentials())
            .defaultServiceConfig(new Gson().fromJson(serviceConfig, Map.class))
            .maxInboundMessageSize(MAX_ANSWER_BYTES);
    // grpc-java would send the path of the socket as the host name, which HTTP/2 servers refuse.
    if (address.startsWith("unix:")) builder.overrideAuthority("localhost");
    // The name in the core's certificate, for an address that does not contain it.
    String name = System.getenv("CORE_NAME");
    if (name != null) builder.overrideAuthority(name);
    return builder.build();
  }

  /** Plain text without a CA, TLS with a CA, and mTLS with a client certificate. The key must be PKCS#8. */
  private static ChannelCredentials credentials() throws IOException {
    String ca = System.getenv("CORE_CA");
    if (ca == null) return InsecureChannelCredentials.create();
    TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder().trustManager(new File(ca));
    String cert = System.getenv("CORE_CERT");
    if (cert != null) tls.keyManager(new File(cert), new File(System.getenv("CORE_KEY")));
    return tls.build();
  }

  private Core() {}
}
