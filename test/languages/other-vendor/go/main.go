// Links two packages called error.v1 into one process; where full names clash, it panics at the start.
package main

import (
	"fmt"

	authservice "example.com/greeter/gen/authservice/error/v1"
	shop "example.com/shop/gen/error/v1"
)

func main() {
	for _, name := range []any{
		authservice.Reason_REASON_CONFLICT.Descriptor().FullName(), authservice.Reason_REASON_CONFLICT,
		shop.Reason_REASON_SOLD_OUT.Descriptor().FullName(), shop.Reason_REASON_SOLD_OUT,
	} {
		fmt.Println(name)
	}
}
