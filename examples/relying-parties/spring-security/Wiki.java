import static org.springframework.security.config.Customizer.withDefaults;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web application whose users log in, and an API for its access tokens. */
public class Wiki {
  public static void main(String[] args) {
    var wiki =
        new SpringApplicationBuilder(Security.class, Pages.class)
            .properties(
                "server.address=localhost",
                "server.port=${PORT}",
                "spring.main.banner-mode=off",
                "logging.level.root=warn",
                "spring.config.import=file:${AUTH_SETTINGS}")
            .run();
    System.out.printf("listening on http://localhost:%s%n", wiki.getEnvironment().getProperty("local.server.port"));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Security {
    @Bean
    @Order(1)
    SecurityFilterChain api(HttpSecurity http) throws Exception {
      return http.securityMatcher("/api/**")
          .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .oauth2ResourceServer(server -> server.jwt(withDefaults()))
          .build();
    }

    // snippet:start pages
    @Bean
    @Order(2)
    SecurityFilterChain pages(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
      var endSession = new OidcClientInitiatedLogoutSuccessHandler(clients);
      endSession.setPostLogoutRedirectUri("{baseUrl}/");
      return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .oauth2Login(withDefaults())
          .logout(logout -> logout.logoutSuccessHandler(endSession))
          .oidcLogout(logout -> logout.backChannel(withDefaults()))
          .build();
    }
    // snippet:end

    /** Spring's own decoder accepts the type JWT alone, not at+jwt of RFC 9068. */
    @Bean
    JwtDecoder accessTokens(@Value("${AUTH_ISSUER}") String issuer, @Value("${AUTH_CLIENT_ID}") String clientId) {
      NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
      decoder.setJwtValidator(
          JwtValidators.createAtJwtValidator().issuer(issuer).audience(issuer).clientId(clientId).build());
      return decoder;
    }
  }

  @RestController
  static class Pages {
    @GetMapping("/")
    Map<String, Object> claims(@AuthenticationPrincipal OidcUser user) {
      return new TreeMap<>(user.getClaims());
    }

    /** Refreshes the tokens if they expire within a minute. */
    @GetMapping("/tokens")
    Map<String, String> tokens(@RegisteredOAuth2AuthorizedClient("auth") OAuth2AuthorizedClient client) {
      return Map.of(
          "access", client.getAccessToken().getTokenValue(), "refresh", client.getRefreshToken().getTokenValue());
    }

    @GetMapping("/api/me")
    Map<String, Object> me(JwtAuthenticationToken token) {
      return token.getTokenAttributes();
    }
  }
}
