package com.example;

import io.quarkus.oidc.AccessTokenCredential;
import io.quarkus.oidc.IdToken;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.util.Map;
import org.eclipse.microprofile.jwt.JsonWebToken;

/** A web application whose users log in. All else is in application.properties. */
@Path("/")
public class Wiki {
  @Inject @IdToken JsonWebToken idToken;
  @Inject AccessTokenCredential accessToken;

  @GET
  public String home() {
    return "Wiki";
  }

  @GET
  @Path("goodbye")
  public String goodbye() {
    return "You are logged out.";
  }

  @GET
  @Path("claims")
  public Map<String, Object> claims() {
    return Map.of(
        "sub", idToken.getSubject(),
        "name", idToken.getClaim("name"),
        "email", idToken.getClaim("email"),
        "groups", idToken.getGroups());
  }

  /** Shows that the access token is another one, for the test. */
  @GET
  @Path("refresh")
  public Map<String, String> refresh() {
    return Map.of("access", accessToken.getToken());
  }
}
