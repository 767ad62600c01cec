package com.example.shop;

// snippet:start grpc

import authservice.identity.v1.GetMeRequest;
import authservice.identity.v1.IdentityServiceGrpc;
import authservice.identity.v1.IdentityServiceGrpc.IdentityServiceBlockingStub;
import io.grpc.Channel;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows the account of the machine client: each call of the channel carries its token. */
@RestController
@Profile("grpc")
class OwnAccount {
  private final IdentityServiceBlockingStub identity;

  OwnAccount(Channel authservice) {
    identity = IdentityServiceGrpc.newBlockingStub(authservice);
  }

  @GetMapping("/own-account")
  String ownAccount() {
    return identity.getMe(GetMeRequest.getDefaultInstance()).getAccount().getUsername();
  }
}
// snippet:end
