// Package ec2 replaces the package of the AWS SDK, which needs 3 GB of memory to compile. It finds no instance.
package ec2

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// Client does nothing.
type Client struct{}

// Options has no fields.
type Options struct{}

// NewFromConfig returns a client.
func NewFromConfig(aws.Config, ...func(*Options)) *Client { return &Client{} }

// DescribeInstancesInput has the fields that Traefik sets.
type DescribeInstancesInput struct{ InstanceIds []string }

// DescribeInstancesOutput has the fields that Traefik reads.
type DescribeInstancesOutput struct{ Reservations []types.Reservation }

// DescribeInstancesPaginator has no pages.
type DescribeInstancesPaginator struct{}

// NewDescribeInstancesPaginator returns a paginator.
func NewDescribeInstancesPaginator(*Client, *DescribeInstancesInput) *DescribeInstancesPaginator {
	return &DescribeInstancesPaginator{}
}

// HasMorePages returns false.
func (*DescribeInstancesPaginator) HasMorePages() bool { return false }

// NextPage returns an empty page.
func (*DescribeInstancesPaginator) NextPage(context.Context) (*DescribeInstancesOutput, error) {
	return &DescribeInstancesOutput{}, nil
}
