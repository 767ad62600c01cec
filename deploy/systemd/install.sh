#!/bin/sh
# Installs this version of the project for systemd, or updates to it. The new version is complete before it replaces the
# old one by one rename. If it does not become ready, the old one is started again.
# Usage, as root in the project's folder: deploy/systemd/install.sh [TARGET], by default /opt/authservice
set -eu
# The user of the service must be able to read the installed files, also if root creates private files.
umask 022
target=${1:-/opt/authservice}
source=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$source/package.json")
release=$target-$version-$(date -u +%Y%m%d%H%M%S)
wait_seconds=${READY_SECONDS:-120}

if [ -e "$target" ] && [ ! -L "$target" ]; then
  echo "$target is a folder. Rename it once: mv $target $target-old && ln -s $target-old $target" >&2
  exit 1
fi

# copy_project FOLDER: without packages, data, settings and secrets. The copy belongs to root, and all users can read it.
copy_project() {
  tar -C "$source" -cf - --owner=0 --group=0 --mode=go=rX --exclude=./node_modules --exclude=./.git --exclude=./data \
    --exclude=./secrets --exclude=./deploy/secrets --exclude=./accounts.yaml --exclude=./application.yaml . \
    | tar -C "$1" -xf -
}

# switch_to RELEASE: a rename replaces the link at once, so no process finds half a version.
switch_to() {
  ln -s "$1" "$target.new"
  mv -T "$target.new" "$target"
}

# With the settings of the service, because they can name another management port.
is_ready() {
  "$target/node_modules/.bin/node" "$target/cli/main.ts" healthcheck --config=/etc/authservice/application.yaml > /dev/null 2>&1
}

mkdir "$release"
trap 'rm -rf "$release" "$target.new"' EXIT
copy_project "$release"
(cd "$release" && npm ci --omit=dev --no-audit --no-fund)

previous=$(readlink "$target" || true)
switch_to "$release"
trap - EXIT
systemctl restart authservice

tries=0
while ! is_ready; do
  tries=$((tries + 1))
  if [ "$tries" -ge "$wait_seconds" ]; then
    echo "$release is not ready after $wait_seconds s: journalctl -u authservice" >&2
    if [ -n "$previous" ]; then
      switch_to "$previous"
      systemctl restart authservice
      echo "$previous runs again" >&2
    fi
    exit 1
  fi
  sleep 1
done
echo "$release is ready."
[ -z "$previous" ] || echo "The previous version is in $previous. Delete it if you need no way back."
