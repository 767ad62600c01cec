package main

// snippet:start revocations

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2/clientcredentials"
)

// revocations is the set of ended sessions and grants, revoked tokens, disabled accounts and suspended tenants, by `session 01a2…`, with the
// expiry of the last access token. Each stream makes it anew, so it holds those of the last 25 minutes.
type revocations struct {
	mutex sync.RWMutex
	until map[string]time.Time
}

// maxRevocations bounds the memory. 100,000 logouts in an hour are 25,000 at a time.
const maxRevocations = 1_000_000

// followRevocations keeps the set current. The client is a resource server.
func followRevocations(issuer, clientID, clientSecret string) *revocations {
	tokens := clientcredentials.Config{ClientID: clientID, ClientSecret: clientSecret, TokenURL: issuer + "/api/v1/auth/token"}
	client := tokens.Client(context.Background())
	r := &revocations{}
	go func() {
		for ; ; time.Sleep(time.Second) {
			// The stream ends with its access token, and after ten minutes at most.
			if err := r.read(client, issuer+"/api/v1/auth/revocations"); err != nil {
				log.Print("revocations: ", err)
			}
		}
	}()
	return r
}

// refuses returns whether a token is revoked. It fails until the first snapshot is complete.
func (r *revocations) refuses(c *caller) (bool, error) {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	if r.until == nil {
		return false, errors.New("the revocations are not known yet")
	}
	for _, key := range []string{
		"session " + c.SessionID, "token " + c.TokenID, "grant " + c.GrantID, "account " + c.Subject, "tenant " + c.TenantID,
	} {
		if time.Now().Before(r.until[key]) {
			return true, nil
		}
	}
	return false, nil
}

// read reads one stream. Until its snapshot is complete, the set of the previous stream stays in force.
func (r *revocations) read(client *http.Client, endpoint string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// A comment comes every 15 s.
	silence := time.AfterFunc(30*time.Second, cancel)
	defer silence.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	snapshot := map[string]time.Time{}
	event := ""
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		silence.Reset(30 * time.Second)
		field, value, _ := strings.Cut(lines.Text(), ": ")
		if field == "event" {
			event = value
		} else if field == "data" {
			if err := r.apply(snapshot, event, value); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

func (r *revocations) apply(snapshot map[string]time.Time, event, data string) error {
	var revocation struct {
		ID    string     `json:"id"`
		Until *time.Time `json:"until"`
	}
	if err := json.Unmarshal([]byte(data), &revocation); err != nil {
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if event == "snapshot-end" {
		r.until = snapshot
		return nil
	}
	if len(snapshot) >= maxRevocations {
		return fmt.Errorf("more than %d revocations", maxRevocations)
	}
	for _, set := range []map[string]time.Time{snapshot, r.until} {
		if revocation.Until == nil {
			// The account was enabled, or the tenant activated.
			delete(set, event+" "+revocation.ID)
		} else if set != nil {
			set[event+" "+revocation.ID] = *revocation.Until
		}
	}
	return nil
}

// snippet:end
