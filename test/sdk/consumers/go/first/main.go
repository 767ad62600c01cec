package main

import (
	"context"
	"fmt"
	"log"

	authservice "example.com/authservice/sdk/go"
	identityv1 "example.com/authservice/sdk/go/authservice/identity/v1"
)

func main() {
	credential := authservice.WithClientCredentials("acme-sync", "demo-secret-acme-sync-0123456789abcdef")
	core, err := authservice.Connect("dns:///127.0.0.1:50051", credential)
	if err != nil {
		log.Fatal(err)
	}
	defer core.Close()
	me, err := identityv1.NewIdentityServiceClient(core).GetMe(context.Background(), &identityv1.GetMeRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("account:", me.GetAccount().GetUsername())
}
