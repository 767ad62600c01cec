package com.example.shop;

// snippet:start roles

import java.util.ArrayList;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenAuthenticationConverter;

/** Adds the roles of an introspected token to its permissions, so that hasRole works. */
@Configuration
@Profile("roles")
class RolesConfiguration {
  @Bean
  OpaqueTokenAuthenticationConverter rolesAndPermissions() {
    return (token, principal) -> {
      List<GrantedAuthority> authorities = new ArrayList<>(principal.getAuthorities());
      List<String> roles = principal.getAttribute("roles");
      authorities.addAll(AuthorityUtils.createAuthorityList(roles));
      OAuth2AccessToken accessToken =
          new OAuth2AccessToken(
              OAuth2AccessToken.TokenType.BEARER, token, principal.getAttribute("iat"), principal.getAttribute("exp"));
      return new BearerTokenAuthentication(principal, accessToken, authorities);
    };
  }
}
// snippet:end
