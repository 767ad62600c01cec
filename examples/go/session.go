package main

// snippet:start session

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	identityv1 "example.com/greeter/gen/authservice/identity/v1"
	sessionv1 "example.com/greeter/gen/authservice/session/v1"
)

var errLoginNeeded = errors.New("the session has ended: log in again")

// session is a user's login. Its methods may be called by several goroutines.
type session struct {
	client       sessionv1.SessionServiceClient
	mutex        sync.Mutex
	accessToken  string
	refreshToken string
	account      *identityv1.Account
	expiresIn    time.Duration
}

func login(ctx context.Context, client sessionv1.SessionServiceClient, username, password string) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := client.Login(ctx, &sessionv1.LoginRequest{
		Username: username, Password: password, RefreshTokenTransport: sessionv1.RefreshTokenTransport_REFRESH_TOKEN_TRANSPORT_BODY,
	})
	if err != nil {
		return nil, err
	}
	return &session{
		client: client, accessToken: answer.AccessToken, refreshToken: answer.GetRefreshToken(),
		account: answer.Account, expiresIn: time.Duration(answer.ExpiresIn) * time.Second,
	}, nil
}

// refresh renews both tokens. Never repeat it blindly: the second use of a refresh token is a replay and ends the
// session. After an error with ErrorInfo, nothing has changed.
func (s *session) refresh(ctx context.Context) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.refreshToken == "" {
		return errLoginNeeded
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := s.client.Refresh(ctx, &sessionv1.RefreshRequest{
		RefreshTokens: []string{s.refreshToken}, RefreshTokenTransport: sessionv1.RefreshTokenTransport_REFRESH_TOKEN_TRANSPORT_BODY,
	})
	switch reason := reasonOf(err); {
	case err == nil:
		s.accessToken, s.refreshToken = answer.AccessToken, answer.GetRefreshToken()
		return nil
	case reason == "" || reason == "REFRESH_SESSION_INVALID":
		s.refreshToken = ""
		return errors.Join(errLoginNeeded, err)
	default:
		return err // The refresh token stays good: try again after retryAfter(err).
	}
}

// authorize returns a context whose calls carry the access token.
func (s *session) authorize(ctx context.Context) context.Context {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+s.accessToken)
}

// snippet:end
