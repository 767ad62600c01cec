package com.example.greeter;

import authservice.identity.v1.Account;
import authservice.identity.v1.IdentityServiceGrpc;
import greeter.v1.GreetRequest;
import greeter.v1.GreetResponse;
import greeter.v1.GreeterServiceGrpc.GreeterServiceImplBase;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;

/** A small service that accepts the credentials of the core, and a tour of the core's RPCs: serve, tour. */
public final class Main {
  public static void main(String[] args) throws Exception {
    String command = args.length == 1 ? args[0] : "";
    ManagedChannel core = Core.connect(System.getenv("CORE_ADDRESS"));
    try {
      switch (command) {
        case "serve" -> serve(core);
        case "tour" -> Tour.tour(core);
        default -> throw new IllegalArgumentException("usage: greeter.jar serve | tour");
      }
    } finally {
      core.shutdownNow();
    }
  }

  // snippet:start serve

  private static final class Greeter extends GreeterServiceImplBase {
    @Override
    public void greet(GreetRequest request, StreamObserver<GreetResponse> response) {
      Account account = Authentication.PRINCIPAL.get().getAccount();
      String text = "Hello, " + account.getUsername() + " of " + account.getTenantId();
      response.onNext(GreetResponse.newBuilder().setText(text).build());
      response.onCompleted();
    }
  }

  private static void serve(Channel core) throws Exception {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(new Greeter())
            .addService(new HealthStatusManager().getHealthService())
            .intercept(new Authentication(IdentityServiceGrpc.newBlockingStub(core)))
            .build()
            .start();
    System.out.println("listening on 127.0.0.1:" + server.getPort());
    server.awaitTermination();
  }

  // snippet:end

  private Main() {}
}
