// Keep-alive load with Java's HttpClient until the standard input ends. Prints the requests and the errors as JSON.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

public class Client {
  private static final int CALLERS = 8;

  public static void main(String[] arguments) throws Exception {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(arguments[0]))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();
    AtomicInteger requests = new AtomicInteger();
    ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int caller = 0; caller < CALLERS; caller++) {
      int number = caller;
      Thread thread =
          new Thread(
              () -> {
                for (int turn = 0; !over.get(); turn++) {
                  try {
                    Thread.sleep(10 + turn * number % 7 * 40L);
                    int status = client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
                    if (status >= 500) errors.add(String.valueOf(status));
                  } catch (Exception error) {
                    errors.add(error.toString());
                  }
                  requests.incrementAndGet();
                }
              });
      thread.start();
      threads.add(thread);
    }
    System.in.transferTo(java.io.OutputStream.nullOutputStream());
    over.set(true);
    for (Thread thread : threads) thread.join();
    List<String> quoted = errors.stream().map((error) -> '"' + error.replaceAll("[\"\\\\\n]", " ") + '"').toList();
    System.out.println("{\"requests\":" + requests.get() + ",\"errors\":[" + String.join(",", quoted) + "]}");
  }
}
