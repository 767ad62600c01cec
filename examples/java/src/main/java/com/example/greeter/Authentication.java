package com.example.greeter;

import authservice.identity.v1.AuthenticateRequest;
import authservice.identity.v1.AuthenticateResponse;
import authservice.identity.v1.IdentityServiceGrpc.IdentityServiceBlockingStub;
import authservice.identity.v1.Principal;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Checks the credential of every call at the core. */
final class Authentication implements ServerInterceptor {
  /** The account of the caller. Every call that passes the interceptor has one. */
  static final Context.Key<Principal> PRINCIPAL = Context.key("principal");

  private static final Metadata.Key<String> TOKEN =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> API_KEY =
      Metadata.Key.of("x-api-key", Metadata.ASCII_STRING_MARSHALLER);

  private final IdentityServiceBlockingStub identity;

  Authentication(IdentityServiceBlockingStub identity) {
    this.identity = identity;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (call.getMethodDescriptor().getServiceName().equals("grpc.health.v1.Health")) {
      return next.startCall(call, headers);
    }
    AuthenticateRequest credential = credentialOf(headers);
    if (credential == null) return refuse(call, Status.UNAUTHENTICATED, "Exactly one credential is needed");
    AuthenticateResponse answer;
    try {
      answer = identity.withDeadlineAfter(5, TimeUnit.SECONDS).authenticate(credential);
    } catch (StatusRuntimeException error) {
      // The core could not check the credential. It may be valid, so never return UNAUTHENTICATED.
      return refuse(call, Status.UNAVAILABLE, "The credential could not be checked");
    }
    if (!answer.hasPrincipal()) {
      return refuse(call, Status.UNAUTHENTICATED, answer.getRefusal().getReason().name());
    }
    Context context = Context.current().withValue(PRINCIPAL, answer.getPrincipal());
    return Contexts.interceptCall(context, call, headers, next);
  }

  /** Returns the bearer token or the API key of a call, or null unless there is exactly one. */
  private static AuthenticateRequest credentialOf(Metadata headers) {
    List<String> tokens = all(headers, TOKEN);
    List<String> keys = all(headers, API_KEY);
    if (tokens.size() + keys.size() != 1) return null;
    if (keys.size() == 1) return AuthenticateRequest.newBuilder().setApiKey(keys.get(0)).build();
    String[] parts = tokens.get(0).split(" ", 2);
    if (parts.length != 2 || !parts[0].equalsIgnoreCase("bearer")) return null;
    return AuthenticateRequest.newBuilder().setBearerToken(parts[1]).build();
  }

  private static List<String> all(Metadata headers, Metadata.Key<String> key) {
    List<String> values = new ArrayList<>();
    Iterable<String> found = headers.getAll(key);
    if (found != null) found.forEach(values::add);
    return values;
  }

  private static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, Status status, String text) {
    call.close(status.withDescription(text), new Metadata());
    return new ServerCall.Listener<>() {};
  }
}
