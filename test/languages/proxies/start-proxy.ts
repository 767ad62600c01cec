// The proxies with the configurations of the docs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyFolder, freePort } from '../../support/service-process.ts';
import { envoyProgram } from '../envoy-program.ts';
import { goTools } from '../toolchain.ts';
import { programOf, start } from './programs.ts';
import type { AuthService } from './service.ts';
import { traefikProgram } from './traefik-program.ts';

const RULES_LIMIT_MS = 20_000;
const EXAMPLES = new URL('../../../examples/proxies/', import.meta.url);

export const example = (name: string) => readFileSync(new URL(name, EXAMPLES), 'utf8');

interface Ports {
  readonly listen: number;
  readonly auth: number;
  readonly service: number;
  /** Path of the core's Unix socket. */
  readonly core: string;
}

/** Writes an example with the ports of this run. */
function configure(folder: string, name: string, { listen, auth, service, core }: Ports, lines = ''): string {
  const file = join(folder, name);
  const text = example(name)
    .replaceAll(/(:|port_value: )8000/g, `$1${listen}`)
    .replaceAll(':8080', `:${auth}`)
    .replaceAll(/(:|port_value: )3000/g, `$1${service}`)
    .replaceAll('path: /run/auth/core.sock', `path: ${core}`)
    .replaceAll('filename: ', `filename: ${folder}/`);
  writeFileSync(file, lines + text);
  return file;
}

interface Proxy {
  program(): Promise<string>;
  /** Writes the configuration and returns the arguments of the program. */
  configure(folder: string, ports: Ports): string[];
}

const caddyArguments = (folder: string, ports: Ports) => {
  const file = configure(folder, 'Caddyfile', ports);
  return ['run', '--adapter', 'caddyfile', '--config', file];
};

export const PROXIES = {
  nginx: {
    program: async () => programOf('nginx'),
    configure(folder, ports) {
      configure(folder, 'verify.conf', ports);
      const own = `user root;\ndaemon off;\nerror_log stderr;\npid ${join(folder, 'nginx.pid')};\n`;
      const file = configure(folder, 'nginx.conf', ports, own);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `    ${kind}_temp_path ${join(folder, kind)};\n`,
      );
      // What the package's own configuration has, at other places: this process may not write there.
      const settings = `http {\n    access_log off;\n${temporary.join('')}`;
      writeFileSync(file, readFileSync(file, 'utf8').replace('http {\n', settings));
      return ['-p', folder, '-c', file];
    },
  },
  'Caddy of Debian': { program: async () => programOf('caddy'), configure: caddyArguments },
  Caddy: { program: caddyProgram, configure: caddyArguments },
  Traefik: {
    program: traefikProgram,
    configure(folder, ports) {
      configure(folder, 'dynamic.yaml', ports);
      return [`--configFile=${configure(folder, 'traefik.yaml', ports)}`];
    },
  },
  Envoy: {
    program: envoyProgram,
    configure(folder, ports) {
      const file = configure(folder, 'envoy.yaml', ports);
      return ['-c', file, '--base-id', String(ports.listen), '--concurrency', '1'];
    },
  },
} as const satisfies Record<string, Proxy>;

export type ProxyName = keyof typeof PROXIES;
export const PROXY_NAMES = Object.keys(PROXIES) as ProxyName[];

export async function caddyProgram(): Promise<string> {
  const [folder = ''] = (await goTools('caddy')).split(':');
  return join(folder, 'caddy');
}

export interface RunningProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a proxy before a service. The proxy asks the auth service. */
export async function startProxy(name: ProxyName, auth: AuthService, service: number): Promise<RunningProxy> {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'logs'));
  const listen = Number(await freePort());
  const ports = { listen, auth: auth.port, service, core: auth.core.replace(/^unix:/, '') };
  const { program, configure: argumentsOf } = PROXIES[name];
  const stop = await start(await program(), argumentsOf(folder, ports), listen, folder);
  const url = `http://127.0.0.1:${listen}`;
  // Traefik listens before it has read its rules.
  const giveUpAt = performance.now() + RULES_LIMIT_MS;
  while ((await fetch(`${url}/orders`)).status !== 401) {
    if (performance.now() > giveUpAt) throw new Error(`${name} does not ask the auth service`);
    await sleep(50);
  }
  return { url, stop };
}
