"""Asks the core about the credential of every call."""

from contextvars import ContextVar

import grpc

from authservice.error.v1.reason_pb2 import Reason
from authservice.identity.v1.identity_service_pb2 import AuthenticateRequest, Principal
from authservice.identity.v1.identity_service_pb2_grpc import IdentityServiceStub

# snippet:start interceptor

# Who calls: set in every call that the interceptor lets through.
principal: ContextVar[Principal] = ContextVar("principal")


class Authentication(grpc.ServerInterceptor):
    def __init__(self, identity: IdentityServiceStub):
        self._identity = identity

    def intercept_service(self, continuation, call):
        handler = continuation(call)
        if handler is None or call.method.startswith("/grpc.health.v1.Health/"):
            return handler
        if not handler.unary_unary:
            raise NotImplementedError("streaming handlers need the same check")

        def authenticate(request, context):
            credential = credential_of(context.invocation_metadata())
            if credential is None:
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "Exactly one credential is needed")
            try:
                answer = self._identity.Authenticate(credential, timeout=5)
            except grpc.RpcError:
                # The core could not check the credential, which may well be good: never UNAUTHENTICATED.
                context.abort(grpc.StatusCode.UNAVAILABLE, "The credential could not be checked")
            if not answer.HasField("principal"):
                context.abort(grpc.StatusCode.UNAUTHENTICATED, Reason.Name(answer.refusal.reason))
            principal.set(answer.principal)
            return handler.unary_unary(request, context)

        return grpc.unary_unary_rpc_method_handler(
            authenticate, handler.request_deserializer, handler.response_serializer
        )


def credential_of(metadata) -> AuthenticateRequest | None:
    """Returns the bearer token or the API key of a call, if there is exactly one."""
    tokens = [value for key, value in metadata if key == "authorization"]
    keys = [value for key, value in metadata if key == "x-api-key"]
    if len(tokens) + len(keys) != 1:
        return None
    if keys:
        return AuthenticateRequest(api_key=keys[0])
    scheme, _, token = tokens[0].partition(" ")
    return AuthenticateRequest(bearer_token=token) if scheme.lower() == "bearer" else None


# snippet:end
