package com.example.shop;

// snippet:start decoder

import java.util.ArrayList;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;

/** Accepts the type at+jwt of RFC 9068. Spring Boot's decoder accepts only the type JWT. */
@Configuration
@Profile("jwks")
class JwksConfiguration {
  private static final String JWT = "spring.security.oauth2.resourceserver.jwt.";

  /** Reads the metadata of the auth service with the first token, not at the start. */
  @Bean
  JwtDecoder jwtDecoder(
      @Value("${" + JWT + "issuer-uri}") String issuer,
      @Value("${" + JWT + "audiences}") String audience,
      @Value("${AUTH_TENANT}") String tenant,
      ObjectProvider<OAuth2TokenValidator<Jwt>> revocations) {
    return new SupplierJwtDecoder(
        () -> {
          NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
          var validators = new ArrayList<OAuth2TokenValidator<Jwt>>();
          validators.add(
              JwtValidators.createAtJwtValidator()
                  .issuer(issuer)
                  .audience(audience)
                  // Tokens of users and of machine clients have different client ids.
                  .validators(claims -> claims.put("client_id", new JwtClaimValidator<>("client_id", Objects::nonNull)))
                  .build());
          // The keys are those of all tenants.
          validators.add(new JwtClaimValidator<>("tenantId", tenant::equals));
          // Without them, a token is accepted until it expires, also after a logout.
          revocations.forEach(validators::add);
          decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(validators));
          return decoder;
        });
  }
}
// snippet:end
