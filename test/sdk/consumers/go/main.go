package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	authservice "example.com/authservice/sdk/go"
	businessv1 "example.com/authservice/sdk/go/authservice/business/v1"
	identityv1 "example.com/authservice/sdk/go/authservice/identity/v1"
	pagingv1 "example.com/authservice/sdk/go/authservice/paging/v1"
)

var address = os.Getenv("CORE_ADDRESS")

func main() {
	// snippet:start connect
	core, err := authservice.Connect(address, authservice.WithClientCredentials(os.Getenv("CORE_CLIENT_ID"), os.Getenv("CORE_CLIENT_SECRET")))
	must(err)
	defer core.Close()
	// snippet:end
	commands := map[string]func(context.Context, *grpc.ClientConn){"tour": tour, "machine": machine}
	commands[os.Args[1]](context.Background(), core)
}

func tour(ctx context.Context, core *grpc.ClientConn) {
	me, err := identityv1.NewIdentityServiceClient(core).GetMe(ctx, &identityv1.GetMeRequest{})
	must(err)
	fmt.Println("account:", me.Account.Username)

	// snippet:start pages
	client := businessv1.NewProductServiceClient(core)
	products := authservice.ReadAll(func(page *pagingv1.PageRequest) ([]*businessv1.Product, *pagingv1.PageInfo, error) {
		response, err := client.ListProducts(ctx, &businessv1.ListProductsRequest{Page: page, Sort: "createdAt"})
		return response.GetProducts(), response.GetPage(), err
	})
	skus := map[string]bool{}
	for product, err := range products {
		must(err)
		skus[product.Sku] = true
	}
	// snippet:end
	fmt.Println("products:", len(skus))

	// snippet:start files
	files := businessv1.NewFileServiceClient(core)
	content := bytes.Repeat([]byte{7}, 300_000)
	upload := func(content []byte) (*businessv1.StagedFile, error) {
		return authservice.Upload(ctx, files, "notes.bin", "application/octet-stream", bytes.NewReader(content), int64(len(content)))
	}
	file, err := upload(content)
	must(err)
	var received bytes.Buffer
	stored, err := authservice.Download(ctx, files, file, &received)
	must(err)
	// snippet:end
	if !bytes.Equal(received.Bytes(), content) {
		log.Fatal("other bytes")
	}
	fmt.Println("download:", stored.FileName, received.Len())
	_, err = files.DeleteFile(ctx, &businessv1.DeleteFileRequest{File: file})
	must(err)
	_, err = upload(nil)
	fmt.Println("empty upload:", refusal(err))
	_, err = authservice.Download(ctx, files, file, &received)
	fmt.Println("deleted file:", refusal(err))

	hasty, err := authservice.Connect(address, authservice.WithTimeout(time.Millisecond))
	must(err)
	defer hasty.Close()
	_, err = identityv1.NewIdentityServiceClient(hasty).GetMe(ctx, &identityv1.GetMeRequest{})
	fmt.Println("deadline:", refusal(err))
}

func refusal(err error) string {
	name := strings.TrimPrefix(authservice.ReasonOf(err).String(), "REASON_")
	if status.Code(err) == codes.DeadlineExceeded && name == "UNSPECIFIED" {
		return "DEADLINE_EXCEEDED"
	}
	for _, violation := range authservice.ViolationsOf(err) {
		name += " " + violation.Field
	}
	return name
}

func machine(ctx context.Context, core *grpc.ClientConn) {
	identity := identityv1.NewIdentityServiceClient(core)
	duration, err := time.ParseDuration(os.Getenv("CORE_SECONDS") + "s")
	must(err)
	callers, err := strconv.Atoi(os.Getenv("CORE_CALLERS"))
	must(err)
	var calls, failures atomic.Int64
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			var end time.Time
			for end.IsZero() || time.Now().Before(end) {
				if _, err := identity.GetMe(ctx, &identityv1.GetMeRequest{}); err != nil {
					failures.Add(1)
				}
				calls.Add(1)
				// The first call also connects.
				if end.IsZero() {
					end = time.Now().Add(duration)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	group.Wait()
	fmt.Printf("calls: %d\nfailures: %d\n", calls.Load(), failures.Load())
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
