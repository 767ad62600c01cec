#!/bin/sh
# Makes the secrets of compose.yaml and of the Kubernetes manifests: certificates for mTLS between gateway, core and
# database, the key-encryption key, the password of the database, and the first account. Needs openssl.
# Usage: deploy/make-secrets.sh [FOLDER], by default deploy/secrets
set -eu
folder=${1:-$(dirname "$0")/secrets}
if [ -e "$folder" ]; then
  echo "$folder exists. Its key-encryption key cannot be replaced: delete the folder only together with the data." >&2
  exit 1
fi
umask 077
mkdir -p "$folder"
cd "$folder"

# make_certificate NAME ALTERNATIVE-NAMES PURPOSE
make_certificate() {
  printf 'subjectAltName=%s\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=%s\n' "$2" "$3" > extensions
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out request -subj "/CN=$1" 2> /dev/null
  openssl x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -days 397 -extfile extensions -out "$1.pem" 2> /dev/null
  rm request extensions
}

# names_of SERVICE: its names in Compose and in the namespace authservice of a cluster. The Helm chart calls the cores authservice-core.
names_of() {
  echo "DNS:$1,DNS:$1.authservice.svc,DNS:$1.authservice.svc.cluster.local"
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -keyout ca.key -out ca.pem \
  -subj '/CN=authservice CA' -addext keyUsage=critical,keyCertSign 2> /dev/null
make_certificate core "$(names_of core),$(names_of authservice-core)" serverAuth
make_certificate gateway 'DNS:gateway' clientAuth
make_certificate mysql 'DNS:mysql' serverAuth
make_certificate mail 'DNS:mail' serverAuth
rm ca.srl

openssl rand -base64 32 > key-encryption-key
openssl rand -hex 24 > database-password
openssl rand -hex 24 > database-root-password
openssl rand -hex 24 > grafana-password
# The password of your mail provider, if you use compose/mail.yaml.
: > mail-relay-password
echo "mysql://authservice:$(cat database-password)@mysql:3306/authservice?ssl-ca=/run/secrets/ca.pem" > database-url
administrator=root-$(openssl rand -hex 6)
password=$(openssl rand -hex 24)
echo "superAdmins: [{username: $administrator, password: $password}]" > accounts.yaml

# give_to USER FILE...: only this user of the containers can read the files. Without root, that is possible only if the
# user has the same number. Otherwise the mode of the folder alone keeps the files from others.
give_to() {
  user=$1
  shift
  if chown "$user" "$@" 2> /dev/null; then chmod 400 "$@"; else
    chmod 444 "$@"
    others="${others:-} $user"
  fi
}

chmod 444 ./*.pem
chmod 400 ca.key database-root-password mail.key mail-relay-password
give_to 65532 core.key gateway.key key-encryption-key database-url accounts.yaml
give_to 999 mysql.key database-password
give_to 472 grafana-password
if [ -n "${others:-}" ]; then
  echo "Files of the users$others of the containers are readable by all users who can open $folder, which is only you."
  echo "Run the script as root to give them to these users alone."
fi
echo "Made $folder. Keep ca.key and a copy of key-encryption-key elsewhere."
echo "The first account is in accounts.yaml: $administrator"
