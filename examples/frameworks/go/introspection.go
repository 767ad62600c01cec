package main

// snippet:start introspection

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// byIntrospection asks the auth service about every token (RFC 7662), so a logout takes effect at once.
func byIntrospection(endpoint, clientID, clientSecret string) check {
	client := &http.Client{Timeout: 5 * time.Second}
	return func(ctx context.Context, token string) (*caller, error) {
		form := url.Values{"token": {token}}.Encode()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		// RFC 6749 section 2.3.1: both parts are form-urlencoded.
		request.SetBasicAuth(url.QueryEscape(clientID), url.QueryEscape(clientSecret))
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("introspection: %s", response.Status)
		}
		var answer struct {
			Active bool `json:"active"`
			caller
		}
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return nil, err
		}
		if !answer.Active {
			return nil, errRefused
		}
		return &answer.caller, nil
	}
}

// snippet:end
