module example.com/shop

go 1.26.0

require (
	example.com/greeter v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace example.com/greeter => ../../../../grpc/go
