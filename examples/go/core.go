package main

// snippet:start connect

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// The largest answers exceed the 4 MiB that gRPC accepts by default: docs/reference/rpcs.md has their sizes.
const maxAnswerBytes = 32 << 20

// connect opens the one connection pool of this process to the core.
func connect(address string) (*grpc.ClientConn, error) {
	transport, err := transportCredentials(os.Getenv("CORE_CA"), os.Getenv("CORE_CERT"), os.Getenv("CORE_KEY"))
	if err != nil {
		return nil, err
	}
	// round_robin over all addresses, retries of the calls that change nothing.
	serviceConfig, err := os.ReadFile("../service-config.json")
	if err != nil {
		return nil, err
	}
	return grpc.NewClient(address,
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(string(serviceConfig)),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswerBytes)))
}

// transportCredentials returns plain text without a CA, TLS with one, and mTLS with a certificate and its key.
func transportCredentials(ca, cert, key string) (credentials.TransportCredentials, error) {
	if ca == "" {
		return insecure.NewCredentials(), nil
	}
	authority, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New(ca + " holds no certificate")
	}
	config := &tls.Config{RootCAs: roots}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(config), nil
}

// snippet:end
