package authservice

import (
	"context"
	"time"

	"google.golang.org/grpc"

	clientcredentialsv1 "example.com/authservice/sdk/go/authservice/clientcredentials/v1"
)

// A busy core says how long to wait.
const maxAttempts = 5

type withoutCredential struct{}

// header is the metadata of each call.
type header struct {
	key   string
	value func(context.Context) (string, error)
}

func bearer(get func(context.Context) (string, error)) *header {
	return &header{"authorization", func(ctx context.Context) (string, error) {
		token, err := get(ctx)
		return "Bearer " + token, err
	}}
}

// GetRequestMetadata is called for each call, so each call has the current token.
func (h *header) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	// The call that gets the token has none.
	if ctx.Value(withoutCredential{}) != nil {
		return nil, nil
	}
	value, err := h.value(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]string{h.key: value}, nil
}

// RequireTransportSecurity permits plain text, for loopback and Unix sockets.
func (h *header) RequireTransportSecurity() bool { return false }

// machine gets the tokens of a machine client.
type machine struct {
	id, secret string
	core       *grpc.ClientConn
}

func (m *machine) issue(ctx context.Context) (token string, lifetime time.Duration, err error) {
	client := clientcredentialsv1.NewClientCredentialsServiceClient(m.core)
	grantType := "client_credentials"
	request := &clientcredentialsv1.IssueTokenRequest{GrantType: &grantType, ClientId: &m.id, ClientSecret: &m.secret}
	ctx = context.WithValue(ctx, withoutCredential{}, true)
	for attempt := 1; ; attempt++ {
		response, err := client.IssueToken(ctx, request)
		if err == nil {
			return response.AccessToken, time.Duration(response.ExpiresIn) * time.Second, nil
		}
		// A refused attempt has no effect.
		wait := RetryAfter(err)
		if wait == 0 || attempt == maxAttempts {
			return "", 0, err
		}
		time.Sleep(wait)
	}
}
