package com.example.greeter;

import authservice.business.v1.DeleteFileRequest;
import authservice.business.v1.FileServiceGrpc;
import authservice.business.v1.ListProductsRequest;
import authservice.business.v1.ProductServiceGrpc;
import authservice.business.v1.StagedFile;
import authservice.identity.v1.GetMeRequest;
import authservice.identity.v1.IdentityServiceGrpc;
import authservice.paging.v1.PageRequest;
import authservice.session.v1.RefreshTokenTransport;
import authservice.session.v1.LogoutRequest;
import authservice.session.v1.SessionServiceGrpc;
import authservice.session.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import com.google.protobuf.ByteString;
import com.google.rpc.BadRequest;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Calls the core as a user, from the login to the logout, and prints the responses. */
final class Tour {
  static void tour(Channel core) throws Exception {
    SessionServiceBlockingStub sessions = SessionServiceGrpc.newBlockingStub(core);
    var health = HealthGrpc.newBlockingStub(core).withDeadlineAfter(5, TimeUnit.SECONDS);
    System.out.println("health: " + health.check(HealthCheckRequest.getDefaultInstance()).getStatus());

    String username = System.getenv("CORE_USERNAME");
    System.out.println("wrong password: " + refusal(() -> new Session(sessions, username, "wrong")));
    Session session = new Session(sessions, username, System.getenv("CORE_PASSWORD"));
    System.out.printf(
        "login: %s of %s for %d s%n",
        session.account.getUsername(), session.account.getTenantId(), session.expiresIn);

    Channel authorized = ClientInterceptors.intercept(core, session.credential());
    var page = PageRequest.newBuilder().setPerPage(100);
    var products =
        ProductServiceGrpc.newBlockingStub(authorized)
            .withDeadlineAfter(5, TimeUnit.SECONDS)
            .listProducts(ListProductsRequest.newBuilder().setPage(page).build());
    System.out.println("products: " + products.getProductsCount());

    ByteString content = ByteString.copyFrom(new byte[300_000]);
    StagedFile file = Upload.upload(authorized, "notes.bin", content);
    System.out.printf("upload: %d bytes%n", content.size());
    FileServiceGrpc.newBlockingStub(authorized)
        .withDeadlineAfter(5, TimeUnit.SECONDS)
        .deleteFile(DeleteFileRequest.newBuilder().setFile(file).build());
    System.out.println("empty upload: " + refusal(() -> Upload.upload(authorized, "empty.bin", ByteString.EMPTY)));

    String before = session.accessToken();
    session.refresh();
    System.out.println("refresh: new token " + !session.accessToken().equals(before));

    Channel renewed = ClientInterceptors.intercept(core, session.credential());
    SessionServiceGrpc.newBlockingStub(renewed)
        .withDeadlineAfter(5, TimeUnit.SECONDS)
        .logout(LogoutRequest.newBuilder().setRefreshTokenTransport(RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY).build());
    var identity = IdentityServiceGrpc.newBlockingStub(renewed).withDeadlineAfter(5, TimeUnit.SECONDS);
    System.out.println("after the logout: " + refusal(() -> identity.getMe(GetMeRequest.getDefaultInstance())));
  }

  private static String refusal(Callable<?> call) throws Exception {
    try {
      call.call();
      return "accepted";
    } catch (StatusRuntimeException error) {
      StringBuilder text = new StringBuilder(Errors.reasonOf(error));
      for (BadRequest.FieldViolation each : Errors.violationsOf(error)) text.append(' ').append(each.getField());
      return text.toString();
    }
  }

  private Tour() {}
}
