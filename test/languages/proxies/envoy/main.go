// Asks the core as Envoy does, by Envoy's own types: reads requests from standard input, one JSON object per line, and writes
// the response to each, as one line of JSON, or its gRPC status.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
)

func main() {
	target := flag.String("target", "", "gRPC target of the core")
	ca := flag.String("ca", "", "PEM file of the authority of the core; none: without TLS")
	cert := flag.String("cert", "", "PEM file of the certificate to show")
	key := flag.String("key", "", "PEM file of its key")
	flag.Parse()

	transport := insecure.NewCredentials()
	if *ca != "" {
		transport = mutualTLS(*ca, *cert, *key)
	}
	connection, err := grpc.NewClient(*target, grpc.WithTransportCredentials(transport))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	client := authv3.NewAuthorizationClient(connection)

	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		request := &authv3.CheckRequest{}
		if err := protojson.Unmarshal(lines.Bytes(), request); err != nil {
			log.Fatal(err)
		}
		fmt.Println(check(client, request))
	}
}

func check(client authv3.AuthorizationClient, request *authv3.CheckRequest) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	response, err := client.Check(ctx, request)
	if err != nil {
		text, _ := json.Marshal(map[string]string{"grpc": status.Code(err).String()})
		return string(text)
	}
	// Envoy refuses a response that breaks these rules.
	if err := response.ValidateAll(); err != nil {
		log.Fatal(err)
	}
	text, err := protojson.Marshal(response)
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}

func mutualTLS(ca, cert, key string) credentials.TransportCredentials {
	authorities, err := os.ReadFile(ca)
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authorities)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		log.Fatal(err)
	}
	return credentials.NewTLS(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}, ServerName: "localhost"})
}
