// Package ext replaces the package of Traefik that its module does not contain.
package ext

// HTTP has no options.
type HTTP struct{}

// Router has no options.
type Router struct{}
