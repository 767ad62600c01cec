package authservice

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	errorv1 "example.com/authservice/sdk/go/authservice/error/v1"
)

// ReasonOf returns the reason of an error from the core. Branch on it, never on the text. It is REASON_UNSPECIFIED for errors of the
// network or the gRPC library, and for reasons of a newer core.
func ReasonOf(err error) errorv1.Reason {
	return errorv1.Reason(errorv1.Reason_value["REASON_"+InfoOf(err).GetReason()])
}

// InfoOf returns the name of the reason and its facts, for example the metadata "requestId".
func InfoOf(err error) *errdetails.ErrorInfo { return detail[*errdetails.ErrorInfo](err) }

// ViolationsOf returns the fields of the request that break a rule.
func ViolationsOf(err error) []*errdetails.BadRequest_FieldViolation {
	return detail[*errdetails.BadRequest](err).GetFieldViolations()
}

// RetryAfter returns how long to wait before the next attempt. It is 0 if a retry does not help.
func RetryAfter(err error) time.Duration {
	return detail[*errdetails.RetryInfo](err).GetRetryDelay().AsDuration()
}

func detail[Detail any](err error) (found Detail) {
	for _, each := range status.Convert(err).Details() {
		if found, ok := each.(Detail); ok {
			return found
		}
	}
	return found
}
