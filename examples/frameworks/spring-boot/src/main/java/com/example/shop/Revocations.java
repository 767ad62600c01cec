package com.example.shop;

// snippet:start revocations

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.http.MediaType;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.stereotype.Component;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.client.RestClient;

/**
 * Refuses tokens of ended sessions and grants, revoked tokens, and tokens of disabled accounts and suspended tenants. Each stream makes
 * the set anew, so it holds those of the last 25 minutes.
 */
@Component
@Profile("revocations")
class Revocations implements OAuth2TokenValidator<Jwt> {
  /** Bounds the memory. 100,000 logouts in an hour are 25,000 at a time. */
  private static final int MAX_REVOCATIONS = 1_000_000;

  private static final Map<String, String> CLAIMS =
      Map.of("session", "sid", "token", "jti", "grant", "gid", "account", "sub", "tenant", "tenantId");

  private final String auth;
  private final LinkedMultiValueMap<String, String> grant = new LinkedMultiValueMap<>();

  /** The expiry of the last access token, by `session 01a2…`. Null until the first snapshot is complete. */
  private volatile Map<String, Instant> current;

  /** The client is a resource server. */
  Revocations(
      @Value("${AUTH_ISSUER}") String issuer,
      @Value("${AUTH_CLIENT_ID}") String clientId,
      @Value("${AUTH_CLIENT_SECRET}") String clientSecret) {
    auth = issuer + "/api/v1/auth";
    grant.setAll(
        Map.of("grant_type", "client_credentials", "client_id", clientId, "client_secret", clientSecret));
    Thread follower = new Thread(this::follow, "revocations");
    follower.setDaemon(true);
    follower.start();
  }

  @Override
  public OAuth2TokenValidatorResult validate(Jwt token) {
    Map<String, Instant> revocations = current;
    if (revocations == null) throw new IllegalStateException("the revocations are not known yet");
    boolean isRevoked =
        CLAIMS.entrySet().stream()
            .map(named -> revocations.get(named.getKey() + " " + token.getClaimAsString(named.getValue())))
            .anyMatch(until -> until != null && until.isAfter(Instant.now()));
    if (!isRevoked) return OAuth2TokenValidatorResult.success();
    return OAuth2TokenValidatorResult.failure(new OAuth2Error("invalid_token", "The token is revoked", null));
  }

  private void follow() {
    while (true) {
      try {
        // The stream ends with its access token, and after ten minutes at most.
        read();
      } catch (Exception error) {
        LoggerFactory.getLogger(Revocations.class).warn("revocations: {}", error.toString());
      }
      try {
        Thread.sleep(1_000);
      } catch (InterruptedException stop) {
        return;
      }
    }
  }

  /** Reads one stream. Until its snapshot is complete, the set of the previous stream stays in force. */
  private void read() throws IOException {
    Map<?, ?> granted =
        RestClient.create()
            .post()
            .uri(auth + "/token")
            .contentType(MediaType.APPLICATION_FORM_URLENCODED)
            .body(grant)
            .retrieve()
            .body(Map.class);
    var connection = (HttpURLConnection) URI.create(auth + "/revocations").toURL().openConnection();
    connection.setRequestProperty("Authorization", "Bearer " + granted.get("access_token"));
    connection.setConnectTimeout(5_000);
    // A comment comes every 15 s.
    connection.setReadTimeout(30_000);
    Map<String, Instant> snapshot = new ConcurrentHashMap<>();
    String event = "";
    try (var lines =
        new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
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
// snippet:end
