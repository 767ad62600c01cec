package com.example.shop;

// snippet:start endpoints

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@EnableMethodSecurity
public class Shop {
  public static void main(String[] args) {
    SpringApplication.run(Shop.class, args);
  }

  record Caller(String sub, String tenantId) {}

  @RestController
  static class Endpoints {
    /** For every caller with a valid token. */
    @GetMapping("/me")
    Caller me(AbstractOAuth2TokenAuthenticationToken<?> caller) {
      return new Caller(caller.getName(), (String) caller.getTokenAttributes().get("tenantId"));
    }

    /** For callers with the role, also by inheritance. */
    @GetMapping("/admin")
    @PreAuthorize("hasRole('ADMIN')")
    String admin() {
      return "welcome";
    }

    /** For callers with the permission. Only introspection returns permissions. */
    @GetMapping("/users")
    @PreAuthorize("hasAuthority('SCOPE_MANAGE_USERS')")
    String users() {
      return "all";
    }
  }
}
// snippet:end
