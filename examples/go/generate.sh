#!/bin/sh
# Generates the same code as `buf generate` with protoc only: generate.sh OUT. An M option gives each file its import path.
set -eu
cd "$(dirname "$0")"
out=${1:-gen}
files=$(cd proto && find authservice greeter -name '*.proto')
options=
for file in $files; do
  folder=$(dirname "$file")
  package=$(basename "$(dirname "$folder")")$(basename "$folder")
  path="M$file=example.com/greeter/gen/$folder;$package"
  options="$options --go_opt=$path --go-grpc_opt=$path"
done
mkdir -p "$out"
${PROTOC:-protoc} -I proto $options \
  --go_out="$out" --go_opt=paths=source_relative \
  --go-grpc_out="$out" --go-grpc_opt=paths=source_relative $files
