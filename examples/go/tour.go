package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	businessv1 "example.com/greeter/gen/authservice/business/v1"
	identityv1 "example.com/greeter/gen/authservice/identity/v1"
	pagingv1 "example.com/greeter/gen/authservice/paging/v1"
	sessionv1 "example.com/greeter/gen/authservice/session/v1"
)

// tour calls the core as a user, from the login to the logout, and prints the responses.
func tour(core *grpc.ClientConn) error {
	sessions := sessionv1.NewSessionServiceClient(core)
	files := businessv1.NewFileServiceClient(core)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	check, err := healthv1.NewHealthClient(core).Check(ctx, &healthv1.HealthCheckRequest{})
	if err != nil {
		return err
	}
	fmt.Println("health:", check.Status)

	username := os.Getenv("CORE_USERNAME")
	_, err = login(ctx, sessions, username, "wrong")
	fmt.Println("wrong password:", describe(err))
	session, err := login(ctx, sessions, username, os.Getenv("CORE_PASSWORD"))
	if err != nil {
		return err
	}
	fmt.Printf("login: %s of %s for %.0f s\n", session.account.Username, session.account.GetTenantId(), session.expiresIn.Seconds())

	list, err := businessv1.NewProductServiceClient(core).ListProducts(session.authorize(ctx),
		&businessv1.ListProductsRequest{Page: &pagingv1.PageRequest{PerPage: 100}})
	if err != nil {
		return err
	}
	fmt.Println("products:", len(list.Products))

	content := make([]byte, 300_000)
	file, err := upload(session.authorize(ctx), files, "notes.bin", content)
	if err != nil {
		return err
	}
	fmt.Println("upload:", len(content), "bytes")
	if _, err := files.DeleteFile(session.authorize(ctx), &businessv1.DeleteFileRequest{File: file}); err != nil {
		return err
	}
	_, err = upload(session.authorize(ctx), files, "empty.bin", nil)
	fmt.Println("empty upload:", describe(err))

	before := session.accessToken
	if err := session.refresh(ctx); err != nil {
		return err
	}
	fmt.Println("refresh: new token", session.accessToken != before)

	if _, err := sessions.Logout(session.authorize(ctx), &sessionv1.LogoutRequest{
		RefreshTokenTransport: sessionv1.RefreshTokenTransport_REFRESH_TOKEN_TRANSPORT_BODY,
	}); err != nil {
		return err
	}
	_, err = identityv1.NewIdentityServiceClient(core).GetMe(session.authorize(ctx), &identityv1.GetMeRequest{})
	fmt.Println("after the logout:", describe(err))
	return nil
}

func describe(err error) string {
	text := reasonOf(err)
	for _, violation := range violationsOf(err) {
		text += " " + violation.Field
	}
	return text
}
