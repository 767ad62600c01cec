package main

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	identityv1 "example.com/greeter/gen/authservice/identity/v1"
	sessionv1 "example.com/greeter/gen/authservice/session/v1"
)

const inBody = sessionv1.RefreshTokenTransport_REFRESH_TOKEN_TRANSPORT_BODY

// session is a user's login. Its methods may be called by several goroutines. Calls send its access token with the option
// grpc.PerRPCCredentials(session.tokens). A call that returns UNAUTHENTICATED needs a new login.
type session struct {
	client    sessionv1.SessionServiceClient
	account   *identityv1.Account
	expiresIn time.Duration
	tokens    *tokens
	// Only a renewal uses it, and there is one at a time.
	refreshToken string
}

func login(ctx context.Context, client sessionv1.SessionServiceClient, username, password string) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := client.Login(ctx, &sessionv1.LoginRequest{Username: username, Password: password, RefreshTokenTransport: inBody})
	if err != nil {
		return nil, err
	}
	s := &session{
		client: client, account: answer.Account, expiresIn: time.Duration(answer.ExpiresIn) * time.Second,
		refreshToken: answer.GetRefreshToken(),
	}
	s.tokens = &tokens{renew: s.refresh}
	s.tokens.set(answer.AccessToken, s.expiresIn)
	return s, nil
}

// refresh renews both tokens. Never repeat it blindly: the second use of a refresh token is a replay and ends the
// session. After an error with ErrorInfo, nothing has changed.
func (s *session) refresh(ctx context.Context) (string, time.Duration, error) {
	if s.refreshToken == "" {
		return "", 0, status.Error(codes.Unauthenticated, "the session has ended: log in again")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := s.client.Refresh(ctx, &sessionv1.RefreshRequest{RefreshTokens: []string{s.refreshToken}, RefreshTokenTransport: inBody})
	switch reason := reasonOf(err); {
	case err == nil:
		s.refreshToken = answer.GetRefreshToken()
		return answer.AccessToken, time.Duration(answer.ExpiresIn) * time.Second, nil
	case reason == "" || reason == "REFRESH_SESSION_INVALID":
		s.refreshToken = ""
		return "", 0, status.Errorf(codes.Unauthenticated, "the session has ended: log in again (%v)", err)
	default:
		return "", 0, err // The refresh token stays good. The next call tries again.
	}
}

// logout ends the session of the access token. After an error the session is still open: tell the user, or try again.
func (s *session) logout(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := s.client.Logout(ctx, &sessionv1.LogoutRequest{}, grpc.PerRPCCredentials(s.tokens))
	return err
}
