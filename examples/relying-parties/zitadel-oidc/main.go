// A web application whose users log in with the library of ZITADEL. It knows the issuer, its client id and its secret.
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

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	httphelper "github.com/zitadel/oidc/v3/pkg/http"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

type tokens = oidc.Tokens[*oidc.IDTokenClaims]

type wiki struct {
	rp.RelyingParty
	origin   string
	mutex    sync.Mutex
	sessions map[string]*tokens
}

// snippet:start connect

func connect(ctx context.Context, issuer, clientID, secret, origin string) (*wiki, error) {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	// Plain HTTP is for this machine only.
	cookies := httphelper.NewCookieHandler(key, key, httphelper.WithUnsecure())
	party, err := rp.NewRelyingPartyOIDC(ctx, issuer, clientID, secret, origin+"/callback",
		[]string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail}, rp.WithCookieHandler(cookies), rp.WithPKCE(cookies))
	if err != nil {
		return nil, err
	}
	return &wiki{RelyingParty: party, origin: origin, sessions: map[string]*tokens{}}, nil
}

func (w *wiki) routes() {
	http.Handle("GET /login", rp.AuthURLHandler(rand.Text, w.RelyingParty))
	http.Handle("GET /callback", rp.CodeExchangeHandler(w.loggedIn, w.RelyingParty))
	http.HandleFunc("GET /claims", w.claims)
	http.HandleFunc("GET /refresh", w.refresh)
	http.HandleFunc("GET /logout", w.logout)
	http.HandleFunc("POST /backchannel-logout", w.backchannelLogout)
}

// snippet:end

func (w *wiki) loggedIn(out http.ResponseWriter, in *http.Request, user *tokens, _ string, _ rp.RelyingParty) {
	id := rand.Text()
	w.store(id, user)
	http.SetCookie(out, &http.Cookie{Name: "wiki", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(out, in, "/", http.StatusSeeOther)
}

func (w *wiki) claims(out http.ResponseWriter, in *http.Request) {
	if _, user := w.sessionOf(in); user == nil {
		http.Error(out, "nobody is logged in", http.StatusUnauthorized)
	} else {
		respond(out, user.IDTokenClaims)
	}
}

// refresh gets new tokens. It shows the access token for the test.
func (w *wiki) refresh(out http.ResponseWriter, in *http.Request) {
	id, user := w.sessionOf(in)
	if user == nil {
		http.Error(out, "nobody is logged in", http.StatusUnauthorized)
		return
	}
	renewed, err := rp.RefreshTokens[*oidc.IDTokenClaims](in.Context(), w.RelyingParty, user.RefreshToken, "", "")
	if err != nil {
		http.Error(out, err.Error(), http.StatusUnauthorized)
		return
	}
	w.store(id, renewed)
	respond(out, renewed.AccessToken)
}

// logout sends the browser to the provider. rp.EndSession would send the request from here, without the cookie of the user.
func (w *wiki) logout(out http.ResponseWriter, in *http.Request) {
	id, user := w.sessionOf(in)
	if user == nil {
		http.Redirect(out, in, "/", http.StatusSeeOther)
		return
	}
	w.store(id, nil)
	parameters := url.Values{"id_token_hint": {user.IDToken}, "post_logout_redirect_uri": {w.origin + "/"}}
	http.Redirect(out, in, w.GetEndSessionEndpoint()+"?"+parameters.Encode(), http.StatusSeeOther)
}

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

// logoutClaims are those of a logout token. The library has no check of them, but checks signature, issuer, audience and times.
type logoutClaims struct {
	oidc.TokenClaims
	Events    map[string]any `json:"events"`
	SessionID string         `json:"sid"`
}

func (w *wiki) backchannelLogout(out http.ResponseWriter, in *http.Request) {
	claims, err := rp.VerifyIDToken[*logoutClaims](in.Context(), in.PostFormValue("logout_token"), w.IDTokenVerifier())
	if err != nil || claims.Events[logoutEvent] == nil || claims.Nonce != "" {
		http.Error(out, "this is not a logout token", http.StatusBadRequest)
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for id, user := range w.sessions {
		if user.IDTokenClaims.SessionID == claims.SessionID {
			delete(w.sessions, id)
		}
	}
}

// store keeps the tokens of a session, or removes them.
func (w *wiki) store(id string, user *tokens) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if user == nil {
		delete(w.sessions, id)
	} else {
		w.sessions[id] = user
	}
}

func (w *wiki) sessionOf(in *http.Request) (string, *tokens) {
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
	w.routes()
	http.HandleFunc("GET /", func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "Wiki") })
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %s\n", origin)
	log.Fatal(http.Serve(listener, nil))
}
