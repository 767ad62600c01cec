package io.authservice.spring;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The authentication service, and what this service accepts.
 *
 * @param issuer public URL of the authentication service: `app.public-url`, the claim `iss` of its tokens
 * @param audience what a token must be for: the claim `aud`
 * @param tenants tenants whose tokens are accepted. The keys are those of all tenants, so at least one is needed. `*` accepts all of
 *     them, and tokens without a tenant
 * @param check how a token is checked: by the published keys, or by asking the authentication service about each
 * @param clientId machine client of this service. Introspection, revocations and gRPC need it
 * @param clientSecret its secret
 * @param revocations whether tokens of ended sessions, disabled accounts and suspended tenants are refused before they expire. The
 *     client must be a resource server. Introspection knows without it
 * @param grpc connection to the core
 */
@ConfigurationProperties("authservice")
public record AuthserviceProperties(
    URI issuer,
    String audience,
    @DefaultValue List<String> tenants,
    @DefaultValue("keys") Check check,
    String clientId,
    String clientSecret,
    @DefaultValue("false") boolean revocations,
    @DefaultValue Grpc grpc) {
  /** How tokens are checked. */
  public enum Check {
    KEYS,
    INTROSPECTION
  }

  /**
   * The connection to the core.
   *
   * @param target gRPC target, for example `dns:///core.internal:50051`
   * @param serverName name in the core's certificate, if the target does not contain it
   * @param timeout deadline of calls that are not streams
   * @param ca PEM file of the authority of the core's certificate. Without it, the connection is plain text
   * @param cert PEM file of the client certificate
   * @param key PEM file of its key, as PKCS#8
   */
  public record Grpc(
      String target, String serverName, @DefaultValue("5s") Duration timeout, String ca, String cert, String key) {}

  /** Returns the URL of an endpoint. */
  String url(String path) {
    return issuer.toString().replaceAll("/+$", "") + path;
  }

  /** Throws an exception that names the property that is missing for a feature. */
  static String require(String value, String property, String feature) {
    if (value == null || value.isBlank()) throw new MissingProperty(property, feature);
    return value;
  }

  /** A property is missing. */
  public static final class MissingProperty extends IllegalStateException {
    MissingProperty(String property, String feature) {
      super("authservice." + property + " is missing: " + feature + " needs it");
    }
  }
}
