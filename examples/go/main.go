// A small service that accepts the credentials of the core, a tour of the core's RPCs, and a machine client: `greeter serve`,
// `greeter tour`, `greeter machine`.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	identityv1 "example.com/greeter/gen/authservice/identity/v1"
	greeterv1 "example.com/greeter/gen/greeter/v1"
)

func main() {
	core, err := connect(os.Getenv("CORE_ADDRESS"))
	if err != nil {
		log.Fatal(err)
	}
	defer core.Close()
	commands := map[string]func(*grpc.ClientConn) error{"serve": serve, "tour": tour, "machine": machine}
	if len(os.Args) != 2 || commands[os.Args[1]] == nil {
		log.Fatal("usage: greeter serve | tour | machine")
	}
	if err := commands[os.Args[1]](core); err != nil {
		log.Fatal(err)
	}
}

type greeter struct {
	greeterv1.UnimplementedGreeterServiceServer
}

func (greeter) Greet(ctx context.Context, _ *greeterv1.GreetRequest) (*greeterv1.GreetResponse, error) {
	return &greeterv1.GreetResponse{Text: greeting(ctx)}, nil
}

func (greeter) GreetEach(stream grpc.BidiStreamingServer[greeterv1.GreetEachRequest, greeterv1.GreetEachResponse]) error {
	for {
		_, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := stream.Send(&greeterv1.GreetEachResponse{Text: greeting(stream.Context())}); err != nil {
			return err
		}
	}
}

func greeting(ctx context.Context) string {
	account := principalOf(ctx).Account
	return fmt.Sprintf("Hello, %s of %s", account.Username, account.GetTenantId())
}

func serve(core *grpc.ClientConn) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	check := authentication{identityv1.NewIdentityServiceClient(core)}
	server := grpc.NewServer(grpc.UnaryInterceptor(check.unary), grpc.StreamInterceptor(check.stream))
	greeterv1.RegisterGreeterServiceServer(server, greeter{})
	healthv1.RegisterHealthServer(server, health.NewServer())
	fmt.Println("listening on", listener.Addr())
	return server.Serve(listener)
}
