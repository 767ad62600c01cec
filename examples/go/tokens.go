package main

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// The wait after a failed renewal, while the old token is still valid.
const renewalPause = 500 * time.Millisecond

// tokens caches an access token. It is a credential of calls: grpc.PerRPCCredentials(tokens). It renews the token in the last
// quarter of its lifetime. Parallel callers share one renewal. A failed renewal is not kept: callers get the old token while it is
// valid, and the next caller tries again.
type tokens struct {
	renew func(context.Context) (token string, lifetime time.Duration, err error)

	renewal   singleflight.Group
	mutex     sync.Mutex
	token     string
	renewAt   time.Time
	expiresAt time.Time
}

// GetRequestMetadata is called for each call, so each call has the current token.
func (t *tokens) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	token, err := t.get(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]string{"authorization": "Bearer " + token}, nil
}

// RequireTransportSecurity permits plain text, for loopback and Unix sockets.
func (t *tokens) RequireTransportSecurity() bool { return false }

func (t *tokens) get(ctx context.Context) (string, error) {
	if token, renewAt, _ := t.current(); time.Now().Before(renewAt) {
		return token, nil
	}
	err := t.renewOnce(ctx, false)
	if token, _, expiresAt := t.current(); time.Now().Before(expiresAt) {
		return token, nil
	}
	return "", err
}

// renewOnce joins a running renewal, or starts one. If it is not forced, a token that another caller has just renewed is enough.
func (t *tokens) renewOnce(ctx context.Context, forced bool) error {
	result := t.renewal.DoChan("", func() (any, error) {
		if _, renewAt, _ := t.current(); !forced && time.Now().Before(renewAt) {
			return nil, nil
		}
		// The end of one caller must not end the renewal of the others.
		token, lifetime, err := t.renew(context.WithoutCancel(ctx))
		t.mutex.Lock()
		defer t.mutex.Unlock()
		if err != nil {
			t.renewAt = time.Now().Add(renewalPause)
			return nil, err
		}
		t.set(token, lifetime)
		return nil, nil
	})
	select {
	case outcome := <-result:
		return outcome.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *tokens) current() (token string, renewAt, expiresAt time.Time) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !t.expiresAt.After(time.Now()) {
		return "", time.Time{}, time.Time{}
	}
	return t.token, t.renewAt, t.expiresAt
}

// set stores a token. The caller holds the mutex.
func (t *tokens) set(token string, lifetime time.Duration) {
	now := time.Now()
	t.token, t.renewAt, t.expiresAt = token, now.Add(lifetime*3/4), now.Add(lifetime)
}
