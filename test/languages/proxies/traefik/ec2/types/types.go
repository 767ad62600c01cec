// Package types replaces the package of the AWS SDK, which needs 3 GB of memory to compile.
package types

// InstanceStateName is the name of a state.
type InstanceStateName string

// InstanceStateNameRunning is the state that Traefik compares with.
const InstanceStateNameRunning InstanceStateName = "running"

// InstanceState is the state of an instance.
type InstanceState struct{ Name InstanceStateName }

// Instance has the fields that Traefik reads.
type Instance struct {
	InstanceId       *string
	PrivateIpAddress *string
	State            *InstanceState
}

// Reservation has the fields that Traefik reads.
type Reservation struct{ Instances []Instance }
