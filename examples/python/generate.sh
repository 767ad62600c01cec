#!/bin/sh
# grpcio-tools contains protoc, the gRPC plugin and google/protobuf.
set -eu
cd "$(dirname "$0")"
mkdir -p gen
python3 -m grpc_tools.protoc -I proto --python_out=gen --grpc_python_out=gen \
  $(cd proto && find authservice greeter -name '*.proto')
