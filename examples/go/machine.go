package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	clientcredentialsv1 "example.com/greeter/gen/authservice/clientcredentials/v1"
	identityv1 "example.com/greeter/gen/authservice/identity/v1"
)

// machine gets a token as a machine client and calls the core with it for CORE_SECONDS. The service config retries
// calls that the network interrupts, so that the stop of one core fails no call.
func machine(core *grpc.ClientConn) error {
	duration, err := time.ParseDuration(os.Getenv("CORE_SECONDS") + "s")
	if err != nil {
		return err
	}
	credentials := clientcredentialsv1.NewClientCredentialsServiceClient(core)
	id, secret := os.Getenv("CORE_CLIENT_ID"), os.Getenv("CORE_CLIENT_SECRET")
	token, attempts, err := issueToken(context.Background(), credentials, id, secret)
	if err != nil {
		return err
	}
	fmt.Println("token after attempts:", attempts)

	identity := identityv1.NewIdentityServiceClient(core)
	calls, failures := 0, map[string]int{}
	for end := time.Now().Add(duration); calls == 0 || time.Now().Before(end); calls++ {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
		if _, err := identity.GetMe(ctx, &identityv1.GetMeRequest{}); err != nil {
			failures[err.Error()]++
		}
		cancel()
		time.Sleep(time.Millisecond)
	}
	fmt.Println("calls:", calls)
	fmt.Println("failures:", len(failures))
	for text, count := range failures {
		fmt.Println(count, text)
	}

	// Get the next token, as a client does before the first one expires.
	_, attempts, err = issueToken(context.Background(), credentials, id, secret)
	if err != nil {
		return err
	}
	fmt.Println("next token after attempts:", attempts)
	return nil
}

// snippet:start machine

// issueToken gets an access token for a machine client. If the core is busy, it waits as long as the core asks and tries again. A
// refused attempt has no effect.
func issueToken(ctx context.Context, client clientcredentialsv1.ClientCredentialsServiceClient, id, secret string) (token string, attempts int, err error) {
	grantType := "client_credentials"
	request := &clientcredentialsv1.IssueTokenRequest{GrantType: &grantType, ClientId: &id, ClientSecret: &secret}
	for attempts = 1; ; attempts++ {
		timed, cancel := context.WithTimeout(ctx, 5*time.Second)
		answer, err := client.IssueToken(timed, request)
		cancel()
		if err == nil {
			return answer.AccessToken, attempts, nil
		}
		wait := retryAfter(err)
		if wait == 0 || attempts == 5 {
			return "", attempts, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return "", attempts, err
		}
	}
}

// snippet:end
