import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives webhooks: checks their signatures and prints their events. Needs no package. */
public final class Receiver {
  private static final long TOLERANCE_SECONDS = 300;
  private static final Pattern TYPE = Pattern.compile("^\\{\"type\":\"([^\"]+)\"");

  private final byte[] key;
  // A delivery can arrive twice. A service of several processes keeps the ids in its database.
  private final Set<String> processed = ConcurrentHashMap.newKeySet();

  private Receiver(String secret) {
    key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
  }

  public static void main(String[] args) throws IOException {
    var receiver = new Receiver(System.getenv("WEBHOOK_SECRET"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
    server.createContext("/", receiver::handle);
    server.start();
    System.out.println("listening");
  }

  private void handle(HttpExchange exchange) throws IOException {
    // The signature is of these bytes: do not parse and format them again.
    byte[] body = exchange.getRequestBody().readAllBytes();
    var headers = exchange.getRequestHeaders();
    String id = headers.getFirst("webhook-id");
    boolean isValid = isSigned(id, headers.getFirst("webhook-timestamp"), headers.getFirst("webhook-signature"), body);
    if (isValid && processed.add(id)) System.out.println("event " + typeOf(body));
    exchange.sendResponseHeaders(isValid ? 204 : 400, -1);
    exchange.close();
  }

  /** Whether one of the signatures is right. There are two while a new secret replaces the old one. */
  private boolean isSigned(String id, String timestamp, String signatures, byte[] body) {
    if (id == null || timestamp == null || signatures == null || !timestamp.matches("\\d{1,12}")) return false;
    // An old request can have been recorded and sent again.
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
    byte[] expected = ("v1," + sign(id + "." + timestamp + ".", body)).getBytes(StandardCharsets.UTF_8);
    boolean isRight = false;
    for (String signature : signatures.split(" "))
      isRight |= MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
    return isRight;
  }

  private String sign(String prefix, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(prefix.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  /** A real receiver parses the body with a JSON library. */
  private static String typeOf(byte[] body) {
    var matcher = TYPE.matcher(new String(body, StandardCharsets.UTF_8));
    return matcher.find() ? matcher.group(1) : "";
  }
}
