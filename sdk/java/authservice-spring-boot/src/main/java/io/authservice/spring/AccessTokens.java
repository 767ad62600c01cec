package io.authservice.spring;

import static io.authservice.spring.AuthserviceProperties.require;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AccessToken.TokenType;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.web.client.RestTemplate;

/** What a token must be. */
final class AccessTokens {
  /** Accepts all tenants. */
  private static final String ALL = "*";

  private static final int TIMEOUT_MS = 5_000;

  /** Reads the metadata of the authentication service with the first token, not at the start. */
  static JwtDecoder decoder(AuthserviceProperties properties, List<OAuth2TokenValidator<Jwt>> further) {
    String issuer = properties.issuer().toString();
    String audience = require(properties.audience(), "audience", "authservice.check=keys");
    List<String> tenants = requireTenants(properties.tenants());
    var validators = new ArrayList<OAuth2TokenValidator<Jwt>>();
    validators.add(
        JwtValidators.createAtJwtValidator()
            .issuer(issuer)
            .audience(audience)
            // Tokens of users and of machine clients have different client ids.
            .validators(claims -> claims.put("client_id", new JwtClaimValidator<>("client_id", Objects::nonNull)))
            .build());
    // The feed leaves out a token when it has expired. Spring would accept it for another 60 s.
    if (properties.revocations()) validators.add(new JwtTimestampValidator(Duration.ZERO));
    if (!tenants.contains(ALL)) {
      validators.add(new JwtClaimValidator<String>("tenantId", tenant -> tenant != null && tenants.contains(tenant)));
    }
    validators.addAll(further);
    return new SupplierJwtDecoder(
        () -> {
          // RFC 9068: the type is at+jwt, which Spring's own check of types refuses.
          NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).restOperations(http()).build();
          decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(validators));
          return decoder;
        });
  }

  /** Refuses tokens of other tenants, which the service may introspect if its client is a resource server. */
  static OpaqueTokenIntrospector ofTenants(OpaqueTokenIntrospector service, List<String> configured) {
    List<String> tenants = requireTenants(configured);
    if (tenants.contains(ALL)) return service;
    return token -> {
      OAuth2AuthenticatedPrincipal principal = service.introspect(token);
      if (tenants.contains(String.valueOf((Object) principal.getAttribute("tenantId")))) return principal;
      throw new BadOpaqueTokenException("The token is of another tenant");
    };
  }

  static Authentication withRoles(String token, OAuth2AuthenticatedPrincipal principal) {
    List<GrantedAuthority> authorities = new ArrayList<>(principal.getAuthorities());
    List<String> roles = principal.getAttribute("roles");
    if (roles != null) authorities.addAll(AuthorityUtils.createAuthorityList(roles));
    OAuth2AccessToken accessToken =
        new OAuth2AccessToken(TokenType.BEARER, token, principal.getAttribute("iat"), principal.getAttribute("exp"));
    return new BearerTokenAuthentication(principal, accessToken, authorities);
  }

  /** Spring's own clients wait without a limit. */
  static RestTemplate http() {
    var requests = new SimpleClientHttpRequestFactory();
    requests.setConnectTimeout(TIMEOUT_MS);
    requests.setReadTimeout(TIMEOUT_MS);
    return new RestTemplate(requests);
  }

  /** Without this check, an application would accept the users of all tenants. */
  private static List<String> requireTenants(List<String> tenants) {
    if (tenants.isEmpty()) throw new AuthserviceProperties.MissingProperty("tenants", "the check of a token");
    return List.copyOf(tenants);
  }

  private AccessTokens() {}
}
