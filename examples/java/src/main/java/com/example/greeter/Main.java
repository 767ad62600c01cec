package com.example.greeter;

import authservice.identity.v1.Account;
import authservice.identity.v1.IdentityServiceGrpc;
import greeter.v1.GreetEachRequest;
import greeter.v1.GreetEachResponse;
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

/** A small service that accepts the credentials of the core, a tour of the core's RPCs, and a machine client. */
public final class Main {
  public static void main(String[] args) throws Exception {
    String command = args.length == 1 ? args[0] : "";
    ManagedChannel core = Core.connect(System.getenv("CORE_ADDRESS"));
    try {
      switch (command) {
        case "serve" -> serve(core);
        case "tour" -> Tour.tour(core);
        case "machine" -> Machine.machine(core);
        default -> throw new IllegalArgumentException("usage: greeter.jar serve | tour | machine");
      }
    } finally {
      core.shutdownNow();
    }
  }

  private static final class Greeter extends GreeterServiceImplBase {
    @Override
    public void greet(GreetRequest request, StreamObserver<GreetResponse> response) {
      response.onNext(GreetResponse.newBuilder().setText(greeting()).build());
      response.onCompleted();
    }

    @Override
    public StreamObserver<GreetEachRequest> greetEach(StreamObserver<GreetEachResponse> responses) {
      return new StreamObserver<>() {
        @Override
        public void onNext(GreetEachRequest request) {
          responses.onNext(GreetEachResponse.newBuilder().setText(greeting()).build());
        }

        @Override
        public void onError(Throwable cancelled) {}

        @Override
        public void onCompleted() {
          responses.onCompleted();
        }
      };
    }

    private static String greeting() {
      Account account = Authentication.PRINCIPAL.get().getAccount();
      return "Hello, " + account.getUsername() + " of " + account.getTenantId();
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

  private Main() {}
}
