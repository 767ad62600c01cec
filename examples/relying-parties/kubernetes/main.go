// The authenticator of the Kubernetes API server, and a login as kubectl's plugins do it: a public client on this machine.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
)

// authenticators reads the file of --authentication-config as the API server does. `ca` has the certificate of the issuer's CA.
func authenticators(ctx context.Context, file, ca string) ([]oidc.AuthenticatorTokenWithHealthCheck, error) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	config := &apiserver.AuthenticationConfiguration{}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	if err := runtime.DecodeInto(decoder, data, config); err != nil {
		return nil, err
	}
	authority, err := dynamiccertificates.NewDynamicCAContentFromFile("issuer", ca)
	if err != nil {
		return nil, err
	}
	var found []oidc.AuthenticatorTokenWithHealthCheck
	for _, jwt := range config.JWT {
		authenticator, err := oidc.New(ctx, oidc.Options{
			JWTAuthenticator:     jwt,
			CAContentProvider:    authority,
			SupportedSigningAlgs: oidc.AllValidSigningAlgorithms(),
		})
		if err != nil {
			return nil, err
		}
		found = append(found, authenticator)
	}
	return found, nil
}

// kubectl is a user of the cluster.
type kubectl struct {
	auth            oauth2.Config
	mutex           sync.Mutex
	state, verifier string
	token           *oauth2.Token
}

func (k *kubectl) login(out http.ResponseWriter, in *http.Request) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.state, k.verifier, k.token = rand.Text(), oauth2.GenerateVerifier(), &oauth2.Token{}
	http.Redirect(out, in, k.auth.AuthCodeURL(k.state, oauth2.S256ChallengeOption(k.verifier)), http.StatusSeeOther)
}

func (k *kubectl) callback(out http.ResponseWriter, in *http.Request) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if in.FormValue("state") != k.state {
		http.Error(out, "no login was started here", http.StatusBadRequest)
		return
	}
	token, err := k.auth.Exchange(in.Context(), in.FormValue("code"), oauth2.VerifierOption(k.verifier))
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	k.token = token
	fmt.Fprint(out, "You are logged in. Close this page.")
}

func (k *kubectl) refresh(out http.ResponseWriter, in *http.Request) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	token, err := k.auth.TokenSource(in.Context(), &oauth2.Token{RefreshToken: k.token.RefreshToken}).Token()
	if err != nil {
		http.Error(out, err.Error(), http.StatusUnauthorized)
		return
	}
	k.token = token
	respond(out, token.Extra("id_token"))
}

// whoami sends the ID token to the authenticator, as `kubectl auth whoami` does.
func (k *kubectl) whoami(all []oidc.AuthenticatorTokenWithHealthCheck) http.HandlerFunc {
	return func(out http.ResponseWriter, in *http.Request) {
		k.mutex.Lock()
		defer k.mutex.Unlock()
		idToken, _ := k.token.Extra("id_token").(string)
		ctx := authenticator.WithAudiences(in.Context(), authenticator.Audiences{})
		for _, each := range all {
			if response, ok, err := each.AuthenticateToken(ctx, idToken); ok {
				user := response.User
				respond(out, map[string]any{"username": user.GetName(), "groups": user.GetGroups(), "extra": user.GetExtra()})
				return
			} else if err != nil {
				log.Print(err)
			}
		}
		http.Error(out, "the token is refused", http.StatusUnauthorized)
	}
}

func respond(out http.ResponseWriter, value any) {
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(value)
}

// endpoints reads the metadata of the issuer.
func endpoints(issuer string) (found oauth2.Endpoint, err error) {
	response, err := http.Get(strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration")
	if err != nil {
		return found, err
	}
	defer response.Body.Close()
	var metadata struct {
		Authorization string `json:"authorization_endpoint"`
		Token         string `json:"token_endpoint"`
	}
	err = json.NewDecoder(response.Body).Decode(&metadata)
	return oauth2.Endpoint{AuthURL: metadata.Authorization, TokenURL: metadata.Token}, err
}

func main() {
	origin := "http://localhost:" + os.Getenv("PORT")
	all, err := authenticators(context.Background(), os.Getenv("AUTHENTICATION_CONFIG"), os.Getenv("AUTH_CA"))
	if err != nil {
		log.Fatal(err)
	}
	endpoint, err := endpoints(os.Getenv("AUTH_ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	// It reads the keys of the issuer in the background.
	for _, each := range all {
		for each.HealthCheck() != nil {
			time.Sleep(100 * time.Millisecond)
		}
	}
	user := &kubectl{auth: oauth2.Config{
		ClientID:    os.Getenv("AUTH_CLIENT_ID"),
		Endpoint:    endpoint,
		RedirectURL: origin + "/callback",
		Scopes:      []string{"openid", "email", "groups", "tenant"},
	}, token: &oauth2.Token{}}
	http.HandleFunc("GET /login", user.login)
	http.HandleFunc("GET /callback", user.callback)
	http.HandleFunc("GET /refresh", user.refresh)
	http.HandleFunc("GET /whoami", user.whoami(all))
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %s\n", origin)
	log.Fatal(http.Serve(listener, nil))
}
