#!/bin/sh
set -eu
mkdir -p gen
protoc -I proto --php_out=gen --grpc_out=gen --plugin=protoc-gen-grpc="$(command -v grpc_php_plugin)" \
  $(find proto -name '*.proto')
