package io.authservice.spring;

import static io.authservice.spring.AuthserviceProperties.require;

import jakarta.servlet.DispatcherType;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.support.BasicAuthenticationInterceptor;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.oauth2.server.resource.authentication.JwtGrantedAuthoritiesConverter;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenAuthenticationConverter;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.introspection.SpringOpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.web.BearerTokenAuthenticationEntryPoint;
import org.springframework.security.oauth2.server.resource.web.authentication.BearerTokenAuthenticationFilter;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestTemplate;

/**
 * Accepts access tokens of the authentication service. Each bean gives way to one of the application.
 *
 * <p>It precedes the auto-configurations of Spring Boot 3.5 and 4 that would secure the application otherwise.
 */
@AutoConfiguration(
    beforeName = {
      "org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration",
      "org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration",
      "org.springframework.boot.autoconfigure.security.oauth2.resource.servlet.OAuth2ResourceServerAutoConfiguration",
      "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
      "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
      "org.springframework.boot.security.oauth2.server.resource.autoconfigure.servlet.OAuth2ResourceServerAutoConfiguration",
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("authservice.issuer")
@EnableConfigurationProperties(AuthserviceProperties.class)
public class AuthserviceAutoConfiguration {
  /** Requires a valid token for each path, apart from error pages. */
  @Bean
  @ConditionalOnMissingBean
  SecurityFilterChain authserviceSecurity(HttpSecurity http, ObjectProvider<OpaqueTokenIntrospector> introspector)
      throws Exception {
    http.authorizeHttpRequests(
        requests ->
            requests.dispatcherTypeMatchers(DispatcherType.ERROR).permitAll().anyRequest().authenticated());
    http.oauth2ResourceServer(
        server -> {
          server.withObjectPostProcessor(new UnavailableOnOutage());
          if (introspector.getIfAvailable() == null) server.jwt(jwt -> {});
          else server.opaqueToken(token -> {});
        });
    return http.build();
  }

  /** A token that cannot be checked may be valid: 503, never 401. */
  private static final class UnavailableOnOutage implements ObjectPostProcessor<BearerTokenAuthenticationFilter> {
    @Override
    public <O extends BearerTokenAuthenticationFilter> O postProcess(O filter) {
      filter.setAuthenticationFailureHandler(
          (request, response, error) -> {
            if (error instanceof AuthenticationServiceException) response.sendError(503, "The token could not be checked");
            else new BearerTokenAuthenticationEntryPoint().commence(request, response, error);
          });
      return filter;
    }
  }

  /** Checks tokens by the published keys. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "authservice.check", havingValue = "keys", matchIfMissing = true)
  static class ByKeys {
    @Bean
    @ConditionalOnMissingBean
    JwtDecoder authserviceJwtDecoder(
        AuthserviceProperties properties, ObjectProvider<OAuth2TokenValidator<Jwt>> validators) {
      return AccessTokens.decoder(properties, validators.orderedStream().toList());
    }

    /** The claim contains `ROLE_MANAGER`, the authority of `hasRole('MANAGER')`. */
    @Bean
    @ConditionalOnMissingBean
    JwtAuthenticationConverter authserviceRoles() {
      JwtGrantedAuthoritiesConverter roles = new JwtGrantedAuthoritiesConverter();
      roles.setAuthoritiesClaimName("roles");
      roles.setAuthorityPrefix("");
      JwtAuthenticationConverter converter = new JwtAuthenticationConverter();
      converter.setJwtGrantedAuthoritiesConverter(roles);
      return converter;
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty("authservice.revocations")
    Revocations authserviceRevocations(AuthserviceProperties properties) {
      return new Revocations(
          properties.url("/api/v1/auth"),
          require(properties.clientId(), "client-id", "authservice.revocations"),
          require(properties.clientSecret(), "client-secret", "authservice.revocations"));
    }
  }

  /** Asks the authentication service about each token. API keys are accepted too. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "authservice.check", havingValue = "introspection")
  static class ByIntrospection {
    @Bean
    @ConditionalOnMissingBean
    OpaqueTokenIntrospector authserviceIntrospector(AuthserviceProperties properties) {
      String feature = "authservice.check=introspection";
      RestTemplate http = AccessTokens.http();
      http.getInterceptors()
          .add(
              new BasicAuthenticationInterceptor(
                  encode(require(properties.clientId(), "client-id", feature)),
                  encode(require(properties.clientSecret(), "client-secret", feature))));
      var service = new SpringOpaqueTokenIntrospector(properties.url("/api/v1/auth/introspect"), http);
      return AccessTokens.ofTenants(service, properties.tenants());
    }

    /** RFC 6749, section 2.3.1. */
    private static String encode(String credential) {
      return URLEncoder.encode(credential, StandardCharsets.UTF_8);
    }

    /** Adds the roles to the permissions, which are the scopes of the token. */
    @Bean
    @ConditionalOnMissingBean
    OpaqueTokenAuthenticationConverter authserviceRolesAndPermissions() {
      return AccessTokens::withRoles;
    }
  }
}
