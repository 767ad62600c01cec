package com.example.greeter;

import authservice.business.v1.DeleteFileRequest;
import authservice.business.v1.FileServiceGrpc;
import authservice.business.v1.ListProductsRequest;
import authservice.business.v1.ListProductsResponse;
import authservice.business.v1.Product;
import authservice.business.v1.ProductServiceGrpc;
import authservice.business.v1.StagedFile;
import authservice.identity.v1.GetMeRequest;
import authservice.identity.v1.IdentityServiceGrpc;
import authservice.paging.v1.PageRequest;
import authservice.session.v1.SessionServiceGrpc;
import authservice.session.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import com.google.protobuf.ByteString;
import com.google.rpc.BadRequest;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import java.util.ArrayList;
import java.util.List;
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

    System.out.println("products: " + listProducts(core, session).size());

    ByteString content = ByteString.copyFrom(new byte[300_000]);
    StagedFile file = Upload.upload(core, session.tokens, "notes.bin", content);
    System.out.printf("upload: %d bytes%n", content.size());
    FileServiceGrpc.newBlockingStub(core)
        .withCallCredentials(session.tokens)
        .withDeadlineAfter(5, TimeUnit.SECONDS)
        .deleteFile(DeleteFileRequest.newBuilder().setFile(file).build());
    System.out.println("empty upload: " + refusal(() -> Upload.upload(core, session.tokens, "empty.bin", ByteString.EMPTY)));

    String before = session.tokens.get();
    // The token renews itself. This shows it earlier.
    System.out.println("refresh: new token " + !session.tokens.renewOnce(true).equals(before));

    session.logout();
    var identity =
        IdentityServiceGrpc.newBlockingStub(core)
            .withCallCredentials(session.tokens)
            .withDeadlineAfter(5, TimeUnit.SECONDS);
    System.out.println("after the logout: " + refusal(() -> identity.getMe(GetMeRequest.getDefaultInstance())));
  }

  /** Returns the products of all pages. The order is one that new products do not change: they come last. */
  private static List<Product> listProducts(Channel core, Session session) {
    var client = ProductServiceGrpc.newBlockingStub(core).withCallCredentials(session.tokens);
    List<Product> products = new ArrayList<>();
    for (int page = 1; ; page++) {
      ListProductsRequest request =
          ListProductsRequest.newBuilder()
              .setPage(PageRequest.newBuilder().setPage(page).setPerPage(100))
              .setSort("createdAt")
              .build();
      ListProductsResponse answer = client.withDeadlineAfter(5, TimeUnit.SECONDS).listProducts(request);
      products.addAll(answer.getProductsList());
      boolean isLast = (long) page * answer.getPage().getPerPage() >= answer.getPage().getTotal();
      if (isLast || answer.getProductsCount() == 0) return products;
    }
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
