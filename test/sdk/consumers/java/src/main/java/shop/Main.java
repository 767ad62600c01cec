package shop;

import authservice.business.v1.DeleteFileRequest;
import authservice.business.v1.FileServiceGrpc;
import authservice.business.v1.ListProductsRequest;
import authservice.business.v1.ProductServiceGrpc;
import authservice.business.v1.StagedFile;
import authservice.error.v1.Reason;
import authservice.identity.v1.GetMeRequest;
import authservice.identity.v1.IdentityServiceGrpc;
import io.authservice.grpc.Core;
import io.authservice.grpc.Credentials;
import io.authservice.grpc.Errors;
import io.authservice.grpc.Files;
import io.authservice.grpc.Pages;
import io.grpc.Channel;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

class Main {
  private static final String ADDRESS = System.getenv("CORE_ADDRESS");

  public static void main(String[] args) throws Exception {
    // snippet:start connect
    var credential = Credentials.client(System.getenv("CORE_CLIENT_ID"), System.getenv("CORE_CLIENT_SECRET"));
    try (Core core = Core.builder(ADDRESS).credential(credential).build()) {
      if (args[0].equals("tour")) tour(core.channel());
      else machine(core.channel());
    }
    // snippet:end
  }

  private static void tour(Channel core) throws Exception {
    var me = IdentityServiceGrpc.newBlockingStub(core).getMe(GetMeRequest.getDefaultInstance());
    System.out.println("account: " + me.getAccount().getUsername());

    // snippet:start pages
    var client = ProductServiceGrpc.newBlockingStub(core);
    var products =
        Pages.readAll(
            page -> {
              var response = client.listProducts(ListProductsRequest.newBuilder().setPage(page).setSort("createdAt").build());
              return new Pages.Page<>(response.getProductsList(), response.getPage());
            });
    // snippet:end
    System.out.println("products: " + products.map(product -> product.getSku()).distinct().count());

    byte[] content = new byte[300_000];
    Arrays.fill(content, (byte) 7);
    // snippet:start files
    StagedFile file = upload(core, content);
    var received = new ByteArrayOutputStream();
    var stored = Files.download(core, file, received);
    // snippet:end
    boolean isEqual = Arrays.equals(received.toByteArray(), content);
    System.out.println("download: " + stored.getFileName() + " " + (isEqual ? received.size() : "other bytes"));
    FileServiceGrpc.newBlockingStub(core).deleteFile(DeleteFileRequest.newBuilder().setFile(file).build());
    System.out.println("empty upload: " + refusal(() -> upload(core, new byte[0])));
    System.out.println("deleted file: " + refusal(() -> Files.download(core, file, received)));

    try (Core hasty = Core.builder(ADDRESS).timeout(Duration.ofMillis(1)).build()) {
      var identity = IdentityServiceGrpc.newBlockingStub(hasty.channel());
      System.out.println("deadline: " + refusal(() -> identity.getMe(GetMeRequest.getDefaultInstance())));
    }
  }

  private static StagedFile upload(Channel core, byte[] content) throws Exception {
    return Files.upload(core, "notes.bin", "application/octet-stream", new ByteArrayInputStream(content), content.length);
  }

  private interface Call {
    Object run() throws Exception;
  }

  private static String refusal(Call call) {
    try {
      call.run();
      return "accepted";
    } catch (Exception error) {
      // snippet:start errors
      Reason reason = Errors.reasonOf(error);
      if (reason == Reason.REASON_UNSPECIFIED) return Status.fromThrowable(error).getCode().name();
      StringBuilder text = new StringBuilder(reason.name().substring("REASON_".length()));
      Errors.violationsOf(error).forEach(violation -> text.append(' ').append(violation.getField()));
      return text.toString();
      // snippet:end
    }
  }

  private static void machine(Channel core) throws Exception {
    var identity = IdentityServiceGrpc.newBlockingStub(core);
    long duration = Duration.ofSeconds(Long.parseLong(System.getenv("CORE_SECONDS"))).toNanos();
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger failures = new AtomicInteger();
    Runnable call =
        () -> {
          long end = 0;
          do {
            try {
              identity.getMe(GetMeRequest.getDefaultInstance());
              Thread.sleep(1);
            } catch (Exception error) {
              failures.incrementAndGet();
            }
            calls.incrementAndGet();
            // The first call also connects.
            if (end == 0) end = System.nanoTime() + duration;
          } while (System.nanoTime() < end);
        };
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(System.getenv("CORE_CALLERS")); i++) callers.add(new Thread(call));
    callers.forEach(Thread::start);
    for (Thread caller : callers) caller.join();
    System.out.println("calls: " + calls + "\nfailures: " + failures);
  }

  private Main() {}
}
