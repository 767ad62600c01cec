package main

// snippet:start middleware

import (
	"context"
	"errors"
	"log"
	"net/http"
	"slices"
	"strings"
)

// caller is the account of an access token.
type caller struct {
	Subject  string `json:"sub"`
	TenantID string `json:"tenantId"`
	// SessionID, TokenID and GrantID are claims of the token, for its revocation.
	SessionID string   `json:"sid"`
	TokenID   string   `json:"jti"`
	GrantID   string   `json:"gid"`
	Roles     []string `json:"roles"`
	// Scope has the permissions, separated by spaces. Only introspection returns it.
	Scope string `json:"scope"`
}

// check returns the account of a token, or errRefused for an invalid token. Another error means that the check is impossible.
type check func(ctx context.Context, token string) (*caller, error)

var errRefused = errors.New("the access token is not valid")

type callerKey struct{}

// callerOf returns the account of the caller. Every request that passes authenticate has one.
func callerOf(r *http.Request) *caller {
	return r.Context().Value(callerKey{}).(*caller)
}

// authenticate accepts requests with a valid access token.
func authenticate(check check, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := bearerToken(r)
		if !ok {
			refuse(w)
			return
		}
		caller, err := check(r.Context(), token)
		switch {
		case err == nil:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, caller)))
		case errors.Is(err, errRefused):
			refuse(w)
		default:
			// The token may be valid, so never return 401.
			log.Print(err)
			http.Error(w, "The access token could not be checked", http.StatusServiceUnavailable)
		}
	})
}

// demand accepts callers that satisfy the rule.
func demand(rule func(*caller) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !rule(callerOf(r)) {
			http.Error(w, "Permission denied", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func hasRole(role string) func(*caller) bool {
	return func(c *caller) bool { return slices.Contains(c.Roles, role) }
}

func hasPermission(permission string) func(*caller) bool {
	return func(c *caller) bool { return slices.Contains(strings.Fields(c.Scope), permission) }
}

func refuse(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	http.Error(w, "A valid access token is needed", http.StatusUnauthorized)
}

func bearerToken(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, found := strings.Cut(values[0], " ")
	return token, found && strings.EqualFold(scheme, "Bearer")
}

// snippet:end
