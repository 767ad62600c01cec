// Decodes a manifest of a custom resource strictly into the types of its project. Fails at unknown members.
// Usage: go run . FILE, by the kind in the file.
package main

import (
	"fmt"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"
)

var types = map[string]any{
	"gateway.networking.k8s.io/v1 HTTPRoute":  &gateway.HTTPRoute{},
	"monitoring.coreos.com/v1 PodMonitor":     &monitoring.PodMonitor{},
	"monitoring.coreos.com/v1 ServiceMonitor": &monitoring.ServiceMonitor{},
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var kind meta.TypeMeta
	check(yaml.Unmarshal(text, &kind))
	target := types[kind.APIVersion+" "+kind.Kind]
	if target == nil {
		check(fmt.Errorf("unknown kind %s %s", kind.APIVersion, kind.Kind))
	}
	check(yaml.UnmarshalStrict(text, target))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
