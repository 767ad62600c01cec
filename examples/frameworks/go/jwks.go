package main

// snippet:start jwks

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
)

// byKeySet verifies tokens of one tenant with the published keys, which are those of all tenants. go-oidc caches the key set and
// fetches it again for an unknown key. Without a revocation feed, a token is accepted until it expires, also after a logout.
func byKeySet(issuer, audience, tenant string, revoked *revocations) check {
	verifier := lazyVerifier(issuer, audience)
	return func(ctx context.Context, token string) (*caller, error) {
		verifier, err := verifier()
		if err != nil {
			return nil, err
		}
		verified, err := verifier.Verify(ctx, token)
		// go-oidc has no type for this error.
		if err != nil && strings.Contains(err.Error(), "fetching keys") {
			return nil, err
		}
		if err != nil || !hasAccessTokenType(token) {
			return nil, errRefused
		}
		found := &caller{}
		if err := verified.Claims(found); err != nil {
			return nil, fmt.Errorf("%w: %w", errRefused, err)
		}
		if found.TenantID != tenant {
			return nil, errRefused
		}
		if revoked == nil {
			return found, nil
		}
		if refused, err := revoked.refuses(found); err != nil || !refused {
			return found, err
		}
		return nil, errRefused
	}
}

// lazyVerifier reads the metadata of the auth service with the first token, not at the start, until it responds.
func lazyVerifier(issuer, audience string) func() (*oidc.IDTokenVerifier, error) {
	var mutex sync.Mutex
	var verifier *oidc.IDTokenVerifier
	return func() (*oidc.IDTokenVerifier, error) {
		mutex.Lock()
		defer mutex.Unlock()
		if verifier == nil {
			provider, err := oidc.NewProvider(context.Background(), issuer)
			if err != nil {
				return nil, err
			}
			// ClientID is the required `aud`. The metadata names the accepted algorithms.
			verifier = provider.Verifier(&oidc.Config{ClientID: audience})
		}
		return verifier, nil
	}
}

// hasAccessTokenType checks the type of access tokens (RFC 9068 section 4). go-oidc is for ID tokens and does not.
func hasAccessTokenType(token string) bool {
	head, _, _ := strings.Cut(token, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(head)
	if err != nil {
		return false
	}
	var header struct {
		Type string `json:"typ"`
	}
	return json.Unmarshal(decoded, &header) == nil && header.Type == "at+jwt"
}

// snippet:end
