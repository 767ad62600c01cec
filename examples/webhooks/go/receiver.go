// Receives webhooks: checks their signatures and prints their events.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const maxBytes = 64 << 10

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	// A delivery can arrive twice. A service of several processes keeps the ids in its database.
	var processed sync.Map
	http.HandleFunc("POST /", func(response http.ResponseWriter, request *http.Request) {
		// The signature is of these bytes: do not parse and format them again.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBytes))
		if err == nil {
			err = webhook.Verify(body, request.Header)
		}
		var event struct {
			Type string `json:"type"`
		}
		if err == nil {
			err = json.Unmarshal(body, &event)
		}
		if err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		if _, found := processed.LoadOrStore(request.Header.Get("webhook-id"), true); !found {
			fmt.Println("event", event.Type)
		}
		response.WriteHeader(http.StatusNoContent)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	log.Fatal(http.Serve(listener, nil))
}
