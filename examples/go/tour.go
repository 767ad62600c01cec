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

	credential := grpc.PerRPCCredentials(session.tokens)
	products, err := listProducts(ctx, businessv1.NewProductServiceClient(core), credential)
	if err != nil {
		return err
	}
	fmt.Println("products:", len(products))

	content := make([]byte, 300_000)
	file, err := upload(ctx, files, "notes.bin", content, credential)
	if err != nil {
		return err
	}
	fmt.Println("upload:", len(content), "bytes")
	if _, err := files.DeleteFile(ctx, &businessv1.DeleteFileRequest{File: file}, credential); err != nil {
		return err
	}
	_, err = upload(ctx, files, "empty.bin", nil, credential)
	fmt.Println("empty upload:", describe(err))

	before, _, _ := session.tokens.current()
	// The token renews itself. This shows it earlier.
	if err := session.tokens.renewOnce(ctx, true); err != nil {
		return err
	}
	after, _, _ := session.tokens.current()
	fmt.Println("refresh: new token", after != before)

	if err := session.logout(ctx); err != nil {
		return err
	}
	_, err = identityv1.NewIdentityServiceClient(core).GetMe(ctx, &identityv1.GetMeRequest{}, credential)
	fmt.Println("after the logout:", describe(err))
	return nil
}

// listProducts returns the products of all pages. The order is one that new products do not change: they come last.
func listProducts(ctx context.Context, client businessv1.ProductServiceClient, options ...grpc.CallOption) ([]*businessv1.Product, error) {
	var products []*businessv1.Product
	for page := int32(1); ; page++ {
		timed, cancel := context.WithTimeout(ctx, 5*time.Second)
		answer, err := client.ListProducts(timed, &businessv1.ListProductsRequest{
			Page: &pagingv1.PageRequest{Page: page, PerPage: 100}, Sort: "createdAt",
		}, options...)
		cancel()
		if err != nil {
			return nil, err
		}
		products = append(products, answer.Products...)
		if len(answer.Products) == 0 || int64(page)*int64(answer.Page.PerPage) >= answer.Page.Total {
			return products, nil
		}
	}
}

func describe(err error) string {
	text := reasonOf(err)
	for _, violation := range violationsOf(err) {
		text += " " + violation.Field
	}
	return text
}
