"""Checks the credential of every call at the core."""


from contextvars import ContextVar

import grpc

from authservice.error.v1.reason_pb2 import Reason
from authservice.identity.v1.identity_service_pb2 import AuthenticateRequest, Principal
from authservice.identity.v1.identity_service_pb2_grpc import IdentityServiceStub

# The account of the caller. Every call that passes the interceptor has one.
principal: ContextVar[Principal] = ContextVar("principal")

KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")


class Authentication(grpc.ServerInterceptor):
    def __init__(self, identity: IdentityServiceStub):
        self._identity = identity

    def intercept_service(self, continuation, call):
        handler = continuation(call)
        if handler is None or call.method.startswith("/grpc.health.v1.Health/"):
            return handler
        # One of the four is set: that of the method.
        kind = next(kind for kind in KINDS if getattr(handler, kind))
        behaviour = getattr(handler, kind)

        def answer(request, context):
            self._authenticate(context)
            return behaviour(request, context)

        def answer_stream(request, context):
            self._authenticate(context)
            yield from behaviour(request, context)

        return handler._replace(**{kind: answer_stream if handler.response_streaming else answer})

    def _authenticate(self, context: grpc.ServicerContext) -> None:
        credential = credential_of(context.invocation_metadata())
        if credential is None:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "Exactly one credential is needed")
        try:
            answer = self._identity.Authenticate(credential, timeout=5)
        except grpc.RpcError:
            # The core could not check the credential. It may be valid, so never return UNAUTHENTICATED.
            context.abort(grpc.StatusCode.UNAVAILABLE, "The credential could not be checked")
        if not answer.HasField("principal"):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, Reason.Name(answer.refusal.reason))
        principal.set(answer.principal)


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
