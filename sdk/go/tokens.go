package authservice

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// The wait after a failed renewal, while the old token is still valid.
const renewalPause = 500 * time.Millisecond

// Tokens caches an access token. It renews the token in the last quarter of its lifetime. Parallel callers share one renewal. A failed
// renewal is not kept: callers get the old token while it is valid, and the next caller tries again.
type Tokens struct {
	renew func(context.Context) (token string, lifetime time.Duration, err error)

	renewal   singleflight.Group
	mutex     sync.Mutex
	token     string
	renewAt   time.Time
	expiresAt time.Time
}

// NewTokens returns a cache without a token: the first call gets one.
func NewTokens(renew func(context.Context) (token string, lifetime time.Duration, err error)) *Tokens {
	return &Tokens{renew: renew}
}

// Get returns a valid token.
func (t *Tokens) Get(ctx context.Context) (string, error) {
	if token, renewAt, _ := t.current(); time.Now().Before(renewAt) {
		return token, nil
	}
	err := t.renewOnce(ctx, false)
	if token, _, expiresAt := t.current(); time.Now().Before(expiresAt) {
		return token, nil
	}
	return "", err
}

// Renew joins a running renewal, or starts one.
func (t *Tokens) Renew(ctx context.Context) error { return t.renewOnce(ctx, true) }

// renewOnce renews the token. If it is not forced, a token that another caller has just renewed is enough.
func (t *Tokens) renewOnce(ctx context.Context, forced bool) error {
	result := t.renewal.DoChan("", func() (any, error) {
		if _, renewAt, _ := t.current(); !forced && time.Now().Before(renewAt) {
			return nil, nil
		}
		// The end of one caller must not end the renewal of the others.
		token, lifetime, err := t.renew(context.WithoutCancel(ctx))
		t.mutex.Lock()
		defer t.mutex.Unlock()
		now := time.Now()
		if err != nil {
			t.renewAt = now.Add(renewalPause)
			return nil, err
		}
		t.token, t.renewAt, t.expiresAt = token, now.Add(lifetime*3/4), now.Add(lifetime)
		return nil, nil
	})
	select {
	case outcome := <-result:
		return outcome.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *Tokens) current() (token string, renewAt, expiresAt time.Time) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !t.expiresAt.After(time.Now()) {
		return "", time.Time{}, time.Time{}
	}
	return t.token, t.renewAt, t.expiresAt
}
