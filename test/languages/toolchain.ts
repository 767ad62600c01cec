// The tools of other languages, at fixed versions, in a cache folder of the user. Installs what is missing; a tool that cannot be
// installed is an error that names the remedy.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from './commands.ts';

/** Survives the test, so that the next run installs and compiles less. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'authservice', 'languages');

const GO_TOOLS = {
  'protoc-gen-go': 'google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12',
  'protoc-gen-go-grpc': 'google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2',
  grpcurl: 'github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4',
  ghz: 'github.com/bojand/ghz/cmd/ghz@v0.93.0',
  kustomize: 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1',
  caddy: 'github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9',
  helm: 'helm.sh/helm/v4/cmd/helm@v4.3.1',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  'oauth2-proxy': 'github.com/oauth2-proxy/oauth2-proxy/v7@v7.15.6',
  'miniflux.app': 'miniflux.app/v2@v2.3.5',
  actionlint: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12',
  amtool: 'github.com/prometheus/alertmanager/cmd/amtool@v0.29.0',
  // Loads a compose file as Docker Compose does. This is its name.
  cmd: 'github.com/compose-spec/compose-go/v2/cmd@v2.16.2',
} as const;
export type GoTool = keyof typeof GO_TOOLS;

interface Program {
  /** Debian's package of it. */
  readonly package?: string;
  readonly remedy: string;
  /** Arguments with which it exits with 0 if it is complete. */
  readonly check?: readonly string[];
}

/** Debian's packages of the programs and files that must be there already; others say where to get them. */
const PROGRAMS = {
  go: { remedy: 'Go 1.26 or newer from https://go.dev/dl/' },
  mvn: { package: 'maven', remedy: 'Maven 3.8 or newer' },
  javac: { package: 'openjdk-17-jdk-headless', remedy: 'a JDK 17 or newer' },
  javadoc: { package: 'openjdk-17-jdk-headless', remedy: 'javadoc of a JDK 17 or newer (a JRE has none)' },
  python3: {
    package: 'python3-venv',
    remedy: 'Python 3.10 or newer with venv',
    check: ['-c', 'import venv, ensurepip'],
  },
  cargo: { remedy: 'Rust 1.85 or newer from https://rustup.rs' },
  protoc: { package: 'protobuf-compiler', remedy: 'protoc 3.15 or newer' },
  // Its package has the protos that protoc of Debian lacks.
  '/usr/include/google/protobuf/descriptor.proto': {
    package: 'libprotobuf-dev',
    remedy: 'the protos of google/protobuf in /usr/include',
  },
  grpc_php_plugin: { package: 'protobuf-compiler-grpc', remedy: 'the PHP plugin of gRPC' },
  php: { package: 'php-cli', remedy: 'PHP 8' },
  '/usr/share/php/Google/Protobuf/Timestamp.php': {
    package: 'php-google-protobuf',
    remedy: "Debian's php-google-protobuf",
  },
  openssl: { package: 'openssl', remedy: 'openssl' },
  runc: { package: 'runc', remedy: 'runc' },
  'systemd-analyze': { package: 'systemd', remedy: 'systemd' },
  'systemd-nspawn': { package: 'systemd-container', remedy: 'systemd-container' },
  script: { package: 'bsdutils', remedy: 'script, of util-linux' },
  umoci: { package: 'umoci', remedy: 'umoci' },
  skopeo: { package: 'skopeo', remedy: 'skopeo' },
  '/usr/sbin/apache2': { package: 'apache2-bin', remedy: 'Apache 2.4 of Debian' },
  '/usr/lib/apache2/modules/mod_auth_openidc.so': {
    package: 'libapache2-mod-auth-openidc',
    remedy: "Debian's libapache2-mod-auth-openidc",
  },
  unzip: { package: 'unzip', remedy: 'unzip' },
  '/usr/lib/postgresql': { package: 'postgresql', remedy: 'PostgreSQL' },
  'oidc-agent': { package: 'oidc-agent-cli', remedy: 'oidc-agent' },
  starman: { package: 'starman', remedy: 'Starman of Perl' },
  '/usr/share/lemonldap-ng/portal': {
    package: 'liblemonldap-ng-portal-perl',
    remedy: "Debian's liblemonldap-ng-portal-perl",
  },
  bwrap: { package: 'bubblewrap', remedy: 'bubblewrap' },
} as const satisfies Record<string, Program>;

/** Makes sure that the programs are on the path, and that files exist. */
export function requirePrograms(...names: readonly (keyof typeof PROGRAMS)[]): void {
  const programs: readonly (readonly [string, Program])[] = names.map((name) => [name, PROGRAMS[name]]);
  const missing = programs.filter(([name, program]) => !isComplete(name, program));
  installPackages(missing.flatMap(([, program]) => program.package ?? []));
  for (const [name, program] of missing) {
    if (isComplete(name, program)) continue;
    throw new Error(
      `${name} is missing. These tests need ${program.remedy}${name.startsWith('/') ? '' : ' on the PATH'}`,
    );
  }
}

/** Makes sure that the tools are installed and returns a PATH with them in front. */
export async function goTools(...names: readonly GoTool[]): Promise<string> {
  requirePrograms('go');
  const folders: string[] = [];
  for (const name of names) {
    const folder = join(CACHE, 'go', GO_TOOLS[name].replaceAll(/[^\w.@-]/g, '_'));
    if (!existsSync(join(folder, name))) {
      console.log(`Installing ${GO_TOOLS[name]} …`);
      await run('go', ['install', GO_TOOLS[name]], { env: { GOBIN: folder } });
    }
    folders.push(folder);
  }
  return [...folders, process.env['PATH']].join(delimiter);
}

function isComplete(name: string, { check }: Program): boolean {
  if (name.startsWith('/')) return existsSync(name);
  const folder = (process.env['PATH'] ?? '').split(delimiter).find((folder) => existsSync(join(folder, name)));
  return folder !== undefined && (!check || spawnSync(join(folder, name), check).status === 0);
}

function installPackages(names: readonly string[]): void {
  if (names.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${names.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { stdio: 'inherit', env });
}
