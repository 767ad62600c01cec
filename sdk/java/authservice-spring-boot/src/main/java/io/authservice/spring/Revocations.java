package io.authservice.spring;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.MediaType;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.client.RestClient;

/**
 * Refuses tokens of ended sessions and grants, revoked tokens, and tokens of disabled accounts and suspended tenants. It follows the stream of
 * revocations. Each stream begins with those in force, so the set holds those of the last 25 minutes.
 */
public final class Revocations implements OAuth2TokenValidator<Jwt>, SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(Revocations.class);

  /** Bounds the memory. 100,000 logouts in an hour are 25,000 at a time. */
  private static final int MAX_REVOCATIONS = 1_000_000;

  private static final int CONNECT_TIMEOUT_MS = 5_000;
  /** A comment comes every 15 s. */
  private static final int READ_TIMEOUT_MS = 30_000;
  private static final int PAUSE_MS = 1_000;
  private static final Map<String, String> CLAIMS =
      Map.of("session", "sid", "token", "jti", "grant", "gid", "account", "sub", "tenant", "tenantId");

  private final String auth;
  private final LinkedMultiValueMap<String, String> grant = new LinkedMultiValueMap<>();
  private final RestClient http;

  /** The expiry of the last access token, by `session 01a2…`. Null until the first snapshot is complete. */
  private volatile Map<String, Instant> current;

  private volatile Thread follower;
  private volatile HttpURLConnection stream;

  Revocations(String auth, String clientId, String clientSecret) {
    this.auth = auth;
    grant.setAll(Map.of("grant_type", "client_credentials", "client_id", clientId, "client_secret", clientSecret));
    var requests = new SimpleClientHttpRequestFactory();
    requests.setConnectTimeout(CONNECT_TIMEOUT_MS);
    requests.setReadTimeout(READ_TIMEOUT_MS);
    http = RestClient.builder().requestFactory(requests).build();
  }

  @Override
  public OAuth2TokenValidatorResult validate(Jwt token) {
    Map<String, Instant> revocations = current;
    if (revocations == null) throw new AuthenticationServiceException("The revocations are not known yet");
    boolean isRevoked =
        CLAIMS.entrySet().stream()
            .map(claim -> revocations.get(claim.getKey() + " " + token.getClaimAsString(claim.getValue())))
            .anyMatch(until -> until != null && until.isAfter(Instant.now()));
    if (!isRevoked) return OAuth2TokenValidatorResult.success();
    return OAuth2TokenValidatorResult.failure(new OAuth2Error("invalid_token", "The token is revoked", null));
  }

  @Override
  public void start() {
    follower = new Thread(this::follow, "authservice-revocations");
    follower.setDaemon(true);
    follower.start();
  }

  @Override
  public void stop() {
    Thread stopped = follower;
    follower = null;
    stopped.interrupt();
    HttpURLConnection open = stream;
    if (open != null) open.disconnect();
  }

  @Override
  public boolean isRunning() {
    return follower != null;
  }

  private void follow() {
    while (isRunning()) {
      try {
        // The stream ends with its access token, and after ten minutes at most.
        read();
      } catch (Exception error) {
        if (isRunning()) LOG.warn("The stream of revocations failed: {}", error.toString());
      }
      try {
        Thread.sleep(PAUSE_MS);
      } catch (InterruptedException stopped) {
        return;
      }
    }
  }

  /** Reads one stream. Until its snapshot is complete, the set of the previous stream stays in force. */
  private void read() throws IOException {
    Map<?, ?> granted =
        http.post()
            .uri(auth + "/token")
            .contentType(MediaType.APPLICATION_FORM_URLENCODED)
            .body(grant)
            .retrieve()
            .body(Map.class);
    var connection = (HttpURLConnection) URI.create(auth + "/revocations").toURL().openConnection();
    connection.setRequestProperty("Authorization", "Bearer " + granted.get("access_token"));
    connection.setConnectTimeout(CONNECT_TIMEOUT_MS);
    connection.setReadTimeout(READ_TIMEOUT_MS);
    stream = connection;
    Map<String, Instant> snapshot = new ConcurrentHashMap<>();
    String event = "";
    try (var lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("event: ")) event = line.substring(7);
        if (line.startsWith("data: ")) apply(snapshot, event, line.substring(6));
      }
    }
  }

  private void apply(Map<String, Instant> snapshot, String event, String data) {
    if (event.equals("snapshot-end")) {
      current = snapshot;
      return;
    }
    if (snapshot.size() >= MAX_REVOCATIONS) throw new IllegalStateException("too many revocations");
    Map<String, Object> revocation = JsonParserFactory.getJsonParser().parseMap(data);
    String key = event + " " + revocation.get("id");
    put(snapshot, key, revocation.get("until"));
    if (current != null) put(current, key, revocation.get("until"));
  }

  /** Null means that the account was enabled, or the tenant activated. */
  private static void put(Map<String, Instant> revocations, String key, Object until) {
    if (until == null) revocations.remove(key);
    else revocations.put(key, Instant.parse((String) until));
  }
}
