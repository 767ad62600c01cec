// A service that accepts access tokens of the auth service: `shop introspection`, `shop jwks`, `shop revocations`.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	issuer := os.Getenv("AUTH_ISSUER")
	checks := map[string]func() check{
		"introspection": func() check {
			return byIntrospection(issuer+"/api/v1/auth/introspect", os.Getenv("AUTH_CLIENT_ID"), os.Getenv("AUTH_CLIENT_SECRET"))
		},
		"jwks": func() check { return byKeySet(issuer, os.Getenv("AUTH_AUDIENCE"), os.Getenv("AUTH_TENANT"), nil) },
		"revocations": func() check {
			revoked := followRevocations(issuer, os.Getenv("AUTH_CLIENT_ID"), os.Getenv("AUTH_CLIENT_SECRET"))
			return byKeySet(issuer, os.Getenv("AUTH_AUDIENCE"), os.Getenv("AUTH_TENANT"), revoked)
		},
	}
	if len(os.Args) != 2 || checks[os.Args[1]] == nil {
		log.Fatal("usage: shop introspection | jwks | revocations")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", cmp.Or(os.Getenv("PORT"), "8081")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, authenticate(checks[os.Args[1]](), routes())))
}

// snippet:start routes

func routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, r *http.Request) {
		caller := callerOf(r)
		json.NewEncoder(w).Encode(map[string]string{"sub": caller.Subject, "tenantId": caller.TenantID})
	})
	mux.Handle("GET /admin", demand(hasRole("ROLE_ADMIN"), http.HandlerFunc(empty)))
	mux.Handle("GET /users", demand(hasPermission("MANAGE_USERS"), http.HandlerFunc(empty)))
	return mux
}

// snippet:end

func empty(w http.ResponseWriter, _ *http.Request) {
	w.Write([]byte("[]"))
}
