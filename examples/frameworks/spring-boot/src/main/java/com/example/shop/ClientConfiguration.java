package com.example.shop;

// snippet:start client

import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.AuthorizedClientServiceOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientService;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.client.OAuth2ClientHttpRequestInterceptor;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestClient;

/** Calls the auth service with the token of a machine client. Spring keeps the token and gets the next one before it expires. */
@Configuration
@Profile("client")
class ClientConfiguration {
  @Bean
  RestClient authService(
      @Value("${AUTH_ISSUER}") String url,
      ClientRegistrationRepository registrations,
      OAuth2AuthorizedClientService clients) {
    // This manager needs no request of a user, so it also works in jobs.
    var manager = new AuthorizedClientServiceOAuth2AuthorizedClientManager(registrations, clients);
    var token = new OAuth2ClientHttpRequestInterceptor(manager);
    token.setClientRegistrationIdResolver(request -> "auth");
    // One token for the whole service, not one for each user that it serves.
    Authentication service = UsernamePasswordAuthenticationToken.authenticated("shop", null, List.of());
    token.setPrincipalResolver(request -> service);
    // Drops a token that the auth service refuses.
    token.setAuthorizationFailureHandler(OAuth2ClientHttpRequestInterceptor.authorizationFailureHandler(clients));
    return RestClient.builder().baseUrl(url).requestInterceptor(token).build();
  }

  /** Requires a valid token for every path. Without this bean, Spring Boot redirects to a login page, because there is a client. */
  @Bean
  SecurityFilterChain bearerTokens(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .oauth2ResourceServer(server -> server.opaqueToken(Customizer.withDefaults()))
        .build();
  }
}
// snippet:end
