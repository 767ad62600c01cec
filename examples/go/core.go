package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// The largest responses exceed the gRPC default of 4 MiB. docs/reference/rpcs.md lists their sizes.
const maxAnswerBytes = 32 << 20

// connect opens the one connection pool of this process to the core.
func connect(address string) (*grpc.ClientConn, error) {
	transport, err := transportCredentials(os.Getenv("CORE_CA"), os.Getenv("CORE_CERT"), os.Getenv("CORE_KEY"))
	if err != nil {
		return nil, err
	}
	// The service config enables round_robin over all addresses and retries of read-only calls.
	serviceConfig, err := os.ReadFile("service-config.json")
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(string(serviceConfig)),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswerBytes)),
	}
	// The name in the core's certificate, for an address that does not contain it.
	if name := os.Getenv("CORE_NAME"); name != "" {
		options = append(options, grpc.WithAuthority(name))
	}
	return grpc.NewClient(address, options...)
}

// transportCredentials returns plain text without a CA, TLS with a CA, and mTLS with a client certificate.
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
