package com.example.shop;

// snippet:start own-account

import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** Shows the account of the machine client: each call of authService carries its token. */
@RestController
@Profile("client")
class OwnAccount {
  record Account(String username, String tenantId) {}

  private final RestClient authService;

  OwnAccount(RestClient authService) {
    this.authService = authService;
  }

  @GetMapping("/own-account")
  Account ownAccount() {
    return authService.get().uri("/api/v1/auth/me").retrieve().body(Account.class);
  }
}
// snippet:end
