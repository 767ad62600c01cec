package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"

	clientcredentialsv1 "example.com/greeter/gen/authservice/clientcredentials/v1"
	identityv1 "example.com/greeter/gen/authservice/identity/v1"
)

// issueToken gets an access token for a machine client. If the core is busy, it waits as long as the core asks and tries again. A
// refused attempt has no effect.
func issueToken(ctx context.Context, client clientcredentialsv1.ClientCredentialsServiceClient, id, secret string) (answer *clientcredentialsv1.IssueTokenResponse, attempts int, err error) {
	grantType := "client_credentials"
	request := &clientcredentialsv1.IssueTokenRequest{GrantType: &grantType, ClientId: &id, ClientSecret: &secret}
	for attempts = 1; ; attempts++ {
		timed, cancel := context.WithTimeout(ctx, 5*time.Second)
		answer, err := client.IssueToken(timed, request)
		cancel()
		if err == nil {
			return answer, attempts, nil
		}
		wait := retryAfter(err)
		if wait == 0 || attempts == 5 {
			return nil, attempts, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, attempts, err
		}
	}
}

func getMe(client identityv1.IdentityServiceClient, token *tokens) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := client.GetMe(ctx, &identityv1.GetMeRequest{}, grpc.PerRPCCredentials(token))
	return err
}

// machine calls the core as a machine client for CORE_SECONDS, with CORE_CALLERS callers that share one token. The stop of one
// core fails no call: the service config retries calls without a response, and this function those whose response had begun.
func machine(core *grpc.ClientConn) error {
	duration, err := time.ParseDuration(os.Getenv("CORE_SECONDS") + "s")
	if err != nil {
		return err
	}
	callers, _ := strconv.Atoi(os.Getenv("CORE_CALLERS"))
	client := clientcredentialsv1.NewClientCredentialsServiceClient(core)
	var attempts int
	token := &tokens{renew: func(ctx context.Context) (string, time.Duration, error) {
		answer, count, err := issueToken(ctx, client, os.Getenv("CORE_CLIENT_ID"), os.Getenv("CORE_CLIENT_SECRET"))
		attempts = count
		return answer.GetAccessToken(), time.Duration(answer.GetExpiresIn()) * time.Second, err
	}}
	if _, err := token.get(context.Background()); err != nil {
		return err
	}
	fmt.Println("token after attempts:", attempts)

	identity := identityv1.NewIdentityServiceClient(core)
	var group sync.WaitGroup
	var mutex sync.Mutex
	calls, failures := 0, map[string]int{}
	end := time.Now().Add(duration)
	for range max(callers, 1) {
		group.Go(func() {
			for isFirst := true; isFirst || time.Now().Before(end); isFirst = false {
				err := getMe(identity, token)
				if isLost(err) {
					err = getMe(identity, token)
				}
				mutex.Lock()
				calls++
				if err != nil {
					failures[err.Error()]++
				}
				mutex.Unlock()
				time.Sleep(time.Millisecond)
			}
		})
	}
	group.Wait()
	fmt.Println("calls:", calls)
	fmt.Println("failures:", len(failures))
	for text, count := range failures {
		fmt.Println(count, text)
	}

	if err := token.renewOnce(context.Background(), true); err != nil {
		return err
	}
	fmt.Println("next token after attempts:", attempts)
	return nil
}
