// A web application whose users log in, and a device without a browser. It knows the issuer, its client id and its secret.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// session is what the application keeps of a browser.
type session struct {
	// Of a login that has started.
	state, nonce, verifier string
	// Of a user who has logged in.
	token   *oauth2.Token
	idToken string
	claims  map[string]any
}

type wiki struct {
	auth       oauth2.Config
	provider   *oidc.Provider
	verifier   *oidc.IDTokenVerifier
	origin     string
	endSession string
	mutex      sync.Mutex
	sessions   map[string]*session
}

// snippet:start connect

// connect reads the metadata of the provider, once, at the start.
func connect(ctx context.Context, issuer, clientID, secret, origin string) (*wiki, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, err
	}
	var metadata struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&metadata); err != nil {
		return nil, err
	}
	return &wiki{
		auth: oauth2.Config{
			ClientID:     clientID,
			ClientSecret: secret,
			Endpoint:     provider.Endpoint(),
			RedirectURL:  origin + "/callback",
			Scopes:       []string{oidc.ScopeOpenID, "profile", "email", "groups"},
		},
		provider:   provider,
		verifier:   provider.Verifier(&oidc.Config{ClientID: clientID}),
		origin:     origin,
		endSession: metadata.EndSession,
		sessions:   map[string]*session{},
	}, nil
}

// login redirects the browser to the provider.
func (w *wiki) login(out http.ResponseWriter, in *http.Request) {
	id, started := rand.Text(), &session{state: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier()}
	w.store(id, started)
	http.SetCookie(out, &http.Cookie{Name: "wiki", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	location := w.auth.AuthCodeURL(started.state, oidc.Nonce(started.nonce), oauth2.S256ChallengeOption(started.verifier))
	http.Redirect(out, in, location, http.StatusSeeOther)
}

// callback exchanges the code, and gives the browser a new session.
func (w *wiki) callback(out http.ResponseWriter, in *http.Request) {
	id, started := w.sessionOf(in)
	if started == nil || in.FormValue("state") != started.state {
		http.Error(out, "no login was started in this browser", http.StatusBadRequest)
		return
	}
	w.store(id, nil)
	token, err := w.auth.Exchange(in.Context(), in.FormValue("code"), oauth2.VerifierOption(started.verifier))
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	user, err := w.verify(in.Context(), token, started.nonce)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	id = rand.Text()
	w.store(id, user)
	http.SetCookie(out, &http.Cookie{Name: "wiki", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(out, in, "/", http.StatusSeeOther)
}

// verify checks the ID token. `nonce` is empty for those that have none.
func (w *wiki) verify(ctx context.Context, token *oauth2.Token, nonce string) (*session, error) {
	raw, _ := token.Extra("id_token").(string)
	idToken, err := w.verifier.Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if idToken.Nonce != nonce {
		return nil, fmt.Errorf("the nonce is not that of the login")
	}
	user := &session{token: token, idToken: raw}
	return user, idToken.Claims(&user.claims)
}

// backchannelLogout ends the sessions that a logout token names.
func (w *wiki) backchannelLogout(out http.ResponseWriter, in *http.Request) {
	logout, err := w.verifier.VerifyLogout(in.Context(), in.PostFormValue("logout_token"))
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for id, user := range w.sessions {
		if user.claims["sid"] == logout.SessionID {
			delete(w.sessions, id)
		}
	}
}

// snippet:end

// logout ends the session here and at the provider.
func (w *wiki) logout(out http.ResponseWriter, in *http.Request) {
	id, user := w.sessionOf(in)
	if user == nil {
		http.Redirect(out, in, "/", http.StatusSeeOther)
		return
	}
	w.store(id, nil)
	parameters := url.Values{"id_token_hint": {user.idToken}, "post_logout_redirect_uri": {w.origin + "/"}}
	http.Redirect(out, in, w.endSession+"?"+parameters.Encode(), http.StatusSeeOther)
}

// refresh gets new tokens. It shows the access token for the test.
func (w *wiki) refresh(out http.ResponseWriter, in *http.Request) {
	id, user := w.sessionOf(in)
	if user == nil {
		http.Error(out, "nobody is logged in", http.StatusUnauthorized)
		return
	}
	old := &oauth2.Token{RefreshToken: user.token.RefreshToken}
	token, err := w.auth.TokenSource(in.Context(), old).Token()
	if err != nil {
		http.Error(out, err.Error(), http.StatusUnauthorized)
		return
	}
	renewed, err := w.verify(in.Context(), token, "")
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	w.store(id, renewed)
	respond(out, token.AccessToken)
}

func (w *wiki) claims(out http.ResponseWriter, in *http.Request) {
	_, user := w.sessionOf(in)
	if user == nil || user.claims == nil {
		http.Error(out, "nobody is logged in", http.StatusUnauthorized)
		return
	}
	respond(out, user.claims)
}

// snippet:start device

// device shows a code, and waits until a user has allowed it.
func (w *wiki) device(out http.ResponseWriter, in *http.Request) {
	started, err := w.auth.DeviceAuth(in.Context())
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	id := rand.Text()
	http.SetCookie(out, &http.Cookie{Name: "wiki", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	respond(out, started.VerificationURIComplete)
	go func() {
		token, err := w.auth.DeviceAccessToken(context.Background(), started)
		if err != nil {
			log.Print(err)
			return
		}
		user, err := w.verify(context.Background(), token, "")
		if err != nil {
			log.Print(err)
			return
		}
		w.store(id, user)
	}()
}

// snippet:end

// store keeps a session, or removes it.
func (w *wiki) store(id string, value *session) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if value == nil {
		delete(w.sessions, id)
	} else {
		w.sessions[id] = value
	}
}

func (w *wiki) sessionOf(in *http.Request) (string, *session) {
	cookie, err := in.Cookie("wiki")
	if err != nil {
		return "", nil
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return cookie.Value, w.sessions[cookie.Value]
}

func respond(out http.ResponseWriter, value any) {
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(value)
}

func main() {
	origin := "http://localhost:" + os.Getenv("PORT")
	w, err := connect(
		context.Background(), os.Getenv("AUTH_ISSUER"), os.Getenv("AUTH_CLIENT_ID"), os.Getenv("AUTH_CLIENT_SECRET"), origin)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /login", w.login)
	http.HandleFunc("GET /callback", w.callback)
	http.HandleFunc("GET /claims", w.claims)
	http.HandleFunc("GET /refresh", w.refresh)
	http.HandleFunc("GET /logout", w.logout)
	http.HandleFunc("GET /device", w.device)
	http.HandleFunc("POST /backchannel-logout", w.backchannelLogout)
	http.HandleFunc("GET /", func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "Wiki") })
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %s\n", origin)
	log.Fatal(http.Serve(listener, nil))
}
