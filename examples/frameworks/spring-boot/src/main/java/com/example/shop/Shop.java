package com.example.shop;

// snippet:start endpoints

import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A service that accepts access tokens of the auth service. */
@SpringBootApplication
@EnableMethodSecurity
public class Shop {
  public static void main(String[] args) {
    SpringApplication.run(Shop.class, args);
  }

  /** The tenant is null for a SUPER_ADMIN. */
  record Caller(String sub, String tenantId) {}

  @RestController
  static class Endpoints {
    /** For every caller. Spring Boot requires a valid token for all paths. */
    @GetMapping("/me")
    Caller me(AbstractOAuth2TokenAuthenticationToken<?> caller) {
      return new Caller(caller.getName(), (String) caller.getTokenAttributes().get("tenantId"));
    }

    /** For callers with the role, also by inheritance. */
    @GetMapping("/admin")
    @PreAuthorize("hasRole('ADMIN')")
    List<String> admin() {
      return List.of();
    }

    /** For callers with the permission. Only introspection returns permissions. */
    @GetMapping("/users")
    @PreAuthorize("hasAuthority('SCOPE_MANAGE_USERS')")
    List<String> users() {
      return List.of();
    }
  }
}
// snippet:end
