// Builds Traefik without what the tests do not use: the DNS providers of its ACME client and EC2, which are most of the work of the
// compiler, and basic and digest authentication, for which it needs a fork.
module traefik

go 1.26.0

require github.com/traefik/traefik/v3 v3.7.13

replace (
	github.com/abbot/go-http-auth => ./httpauth
	github.com/aws/aws-sdk-go-v2/service/ec2 => ./ec2
	// Made by traefik-program.ts.
	github.com/go-acme/lego/v5 => ./lego
	github.com/gorilla/mux => github.com/containous/mux v0.0.0-20250523120546-41b6ec3aed59
	// Traefik's module does not contain this folder.
	github.com/traefik/traefik/dynamic/ext => ./ext
)

exclude github.com/tencentcloud/tencentcloud-sdk-go v3.0.83+incompatible
