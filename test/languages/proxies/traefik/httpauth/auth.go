// Package auth replaces Traefik's fork of go-http-auth. It refuses every request: no test uses these authentications.
package auth

import "net/http"

// SecretProvider returns the secret of a user.
type SecretProvider func(user, realm string) string

// BasicAuth has the fields that Traefik sets.
type BasicAuth struct {
	Realm   string
	Secrets SecretProvider
}

// CheckSecret returns false.
func CheckSecret(string, string) bool { return false }

// RequireAuth refuses a request.
func (*BasicAuth) RequireAuth(w http.ResponseWriter, _ *http.Request) { refuse(w) }

// DigestAuth has no fields.
type DigestAuth struct{}

// NewDigestAuthenticator returns an authenticator.
func NewDigestAuthenticator(string, SecretProvider) *DigestAuth { return &DigestAuth{} }

// DigestAuthParams returns no parameters.
func DigestAuthParams(string) map[string]string { return nil }

// CheckAuth returns no user.
func (*DigestAuth) CheckAuth(*http.Request) (string, *string) { return "", nil }

// RequireAuth refuses a request.
func (*DigestAuth) RequireAuth(w http.ResponseWriter, _ *http.Request) { refuse(w) }

// RequireAuthStale refuses a request.
func (*DigestAuth) RequireAuthStale(w http.ResponseWriter, _ *http.Request) { refuse(w) }

func refuse(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }
