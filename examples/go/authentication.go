package main

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	identityv1 "example.com/greeter/gen/authservice/identity/v1"
)

type principalKey struct{}

// principalOf returns the account of the caller. Every call that passes the interceptor has one.
func principalOf(ctx context.Context) *identityv1.Principal {
	return ctx.Value(principalKey{}).(*identityv1.Principal)
}

// authentication checks the credential of every call at the core.
type authentication struct {
	identity identityv1.IdentityServiceClient
}

func (a authentication) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	ctx, err := a.authenticate(ctx, info.FullMethod)
	if err != nil {
		return nil, err
	}
	return handle(ctx, request)
}

func (a authentication) stream(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	ctx, err := a.authenticate(stream.Context(), info.FullMethod)
	if err != nil {
		return err
	}
	return handle(service, authenticatedStream{stream, ctx})
}

type authenticatedStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s authenticatedStream) Context() context.Context { return s.ctx }

func (a authentication) authenticate(ctx context.Context, method string) (context.Context, error) {
	if strings.HasPrefix(method, "/grpc.health.v1.Health/") {
		return ctx, nil
	}
	credential, ok := credentialOf(ctx)
	if !ok {
		return nil, status.Error(codes.Unauthenticated, "Exactly one credential is needed")
	}
	timed, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := a.identity.Authenticate(timed, credential)
	if err != nil {
		// The core could not check the credential. It may be valid, so never return UNAUTHENTICATED.
		return nil, status.Error(codes.Unavailable, "The credential could not be checked")
	}
	principal := answer.GetPrincipal()
	if principal == nil {
		return nil, status.Error(codes.Unauthenticated, answer.GetRefusal().GetReason().String())
	}
	return context.WithValue(ctx, principalKey{}, principal), nil
}

// credentialOf returns the bearer token or the API key of a call, if there is exactly one.
func credentialOf(ctx context.Context) (*identityv1.AuthenticateRequest, bool) {
	tokens := metadata.ValueFromIncomingContext(ctx, "authorization")
	keys := metadata.ValueFromIncomingContext(ctx, "x-api-key")
	if len(tokens)+len(keys) != 1 {
		return nil, false
	}
	if len(keys) == 1 {
		return &identityv1.AuthenticateRequest{Credential: &identityv1.AuthenticateRequest_ApiKey{ApiKey: keys[0]}}, true
	}
	scheme, token, _ := strings.Cut(tokens[0], " ")
	if !strings.EqualFold(scheme, "bearer") {
		return nil, false
	}
	return &identityv1.AuthenticateRequest{Credential: &identityv1.AuthenticateRequest_BearerToken{BearerToken: token}}, true
}
