// Package authservice is a gRPC client of the authentication service: a thin layer on the generated code.
//
//	core, err := authservice.Connect("dns:///core.internal:50051", authservice.WithClientCredentials(id, secret))
//	me, err := identityv1.NewIdentityServiceClient(core).GetMe(ctx, &identityv1.GetMeRequest{})
package authservice

import (
	"context"
	"crypto/tls"
	_ "embed"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// The largest responses exceed the gRPC default of 4 MiB.
const maxResponseBytes = 32 << 20

//go:embed service-config.json
var serviceConfig string

type settings struct {
	tls        *tls.Config
	serverName string
	timeout    time.Duration
	header     *header
	machine    *machine
	dial       []grpc.DialOption
}

// An Option changes a connection.
type Option func(*settings)

// WithTLS uses TLS, and mTLS if the configuration has a certificate. Without it, the connection is plain text, for loopback and Unix
// sockets.
func WithTLS(config *tls.Config) Option { return func(s *settings) { s.tls = config } }

// WithServerName sets the name in the core's certificate, if the target does not contain it.
func WithServerName(name string) Option { return func(s *settings) { s.serverName = name } }

// WithTimeout sets the deadline of calls that are not streams. The default is 5 s.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// WithClientCredentials sends an access token of a machine client with each call. It is cached, renewed before it expires, and one
// renewal serves all callers.
func WithClientCredentials(clientID, clientSecret string) Option {
	return func(s *settings) {
		s.machine = &machine{id: clientID, secret: clientSecret}
		s.header = bearer(NewTokens(s.machine.issue).Get)
	}
}

// WithAPIKey sends an API key with each call.
func WithAPIKey(key string) Option {
	return func(s *settings) {
		s.header = &header{"x-api-key", func(context.Context) (string, error) { return key, nil }}
	}
}

// WithBearerToken sends the access token that the function returns, which is called for each call: for the sessions of users.
func WithBearerToken(get func(context.Context) (string, error)) Option {
	return func(s *settings) { s.header = bearer(get) }
}

// WithDialOptions adds options of grpc-go.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *settings) { s.dial = append(s.dial, options...) }
}

// Connect returns a connection pool; a process needs one. The target is dns:///core.internal:50051 or unix:/run/core.sock. The calls
// are distributed over all addresses. Calls that change nothing are repeated if a connection fails. Close it with its method Close.
func Connect(target string, options ...Option) (*grpc.ClientConn, error) {
	s := &settings{}
	for _, option := range options {
		option(s)
	}
	transport := insecure.NewCredentials()
	if s.tls != nil {
		transport = credentials.NewTLS(s.tls)
	}
	config := serviceConfig
	if s.timeout > 0 {
		seconds := strconv.FormatFloat(s.timeout.Seconds(), 'f', 3, 64)
		config = strings.ReplaceAll(config, `"timeout": "5s"`, `"timeout": "`+seconds+`s"`)
	}
	dial := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(config),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxResponseBytes)),
	}
	if s.serverName != "" {
		dial = append(dial, grpc.WithAuthority(s.serverName))
	}
	if s.header != nil {
		dial = append(dial, grpc.WithPerRPCCredentials(s.header))
	}
	core, err := grpc.NewClient(target, append(dial, s.dial...)...)
	if err == nil && s.machine != nil {
		s.machine.core = core
	}
	return core, err
}
