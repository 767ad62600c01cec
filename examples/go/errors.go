package main

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// reasonOf returns the reason of an error from the core. It is empty for errors of the network or the gRPC library.
func reasonOf(err error) string {
	return detail[*errdetails.ErrorInfo](err).GetReason()
}

// violationsOf returns the fields of the request that break a rule.
func violationsOf(err error) []*errdetails.BadRequest_FieldViolation {
	return detail[*errdetails.BadRequest](err).GetFieldViolations()
}

// retryAfter returns how long to wait before the next attempt. It is 0 if a retry does not help.
func retryAfter(err error) time.Duration {
	return detail[*errdetails.RetryInfo](err).GetRetryDelay().AsDuration()
}

// isLost says whether the connection failed before the whole response arrived. The core may have processed the call: repeat it only if
// it changes nothing.
func isLost(err error) bool {
	return status.Code(err) == codes.Unavailable && reasonOf(err) == ""
}

func detail[Detail any](err error) (found Detail) {
	for _, each := range status.Convert(err).Details() {
		if found, ok := each.(Detail); ok {
			return found
		}
	}
	return found
}
