#!/bin/sh
# Generates the same code as `buf generate` with protoc only: generate.sh OUT.
set -eu
cd "$(dirname "$0")"
out=${1:-gen}
files=$(cd proto && find authservice greeter -name '*.proto' && cd ../third_party && find * -name '*.proto')
mkdir -p "$out"
${PROTOC:-protoc} -I proto -I third_party \
  --plugin=node_modules/.bin/protoc-gen-ts_proto --ts_proto_out="$out" \
  --ts_proto_opt=outputServices=grpc-js,env=node,esModuleInterop=true,importSuffix=.ts,enumsAsLiterals=true \
  $files
