// Warnings at the start about accepted but unsafe settings.
import { parseDatabaseUrl } from '../db/database-url.ts';
import { parseFilesUrl } from '../files/files-url.ts';
import { staysOnMachine } from '../formats/network.ts';
import type { Role } from './cross-checks.ts';
import { REFUSED } from './kinds.ts';
import type { Assignment } from './problem.ts';
import { environmentName, settingOf } from './schema.ts';
import type { Settings } from './settings.ts';

/** Returns the warnings about the settings of a process that serves. */
export function advise(settings: Settings, role: Role): string[] {
  if (role === 'command') return [];
  const general = [...adviseOnOrigins(settings), ...adviseOnDemo(settings, role)];
  if (settings['app.env'] !== 'PROD') return general;
  return [...general, ...adviseOnDisclosure(settings), ...(role === 'gateway' ? [] : adviseOnTls(settings))];
}

/** The demo's passwords are public. */
function adviseOnDemo(settings: Settings, role: Exclude<Role, 'command'>): string[] {
  if (settings['app.env'] !== 'DEV') return [];
  const served = DEMO_ADDRESSES[role].filter((name) => name === 'app.http.host' || settings['app.rpc.enabled']);
  const names = served.filter((name) => !staysOnMachine(settings[name]));
  return names.map(
    (name) =>
      `${name}=${settings[name]} with app.env=DEV: other machines can use the demo accounts, whose passwords are ` +
      'public; give 127.0.0.1, or app.env=PROD with other accounts',
  );
}

const DEMO_ADDRESSES = {
  all: ['app.http.host', 'app.rpc.host'],
  core: ['app.rpc.host'],
  gateway: ['app.http.host'],
} as const;

/** A browser keeps only one cookie per name, so several front ends would overwrite each other's sessions. */
function adviseOnOrigins(settings: Settings): string[] {
  const { length } = settings['app.http.cors.allowed-origins'].origins;
  const { 'app.security.auth-profile': profile, 'app.security.refresh-session.cookie-per-origin': perOrigin } =
    settings;
  if (length < 2 || profile !== 'A' || perOrigin) return [];
  return [
    `app.http.cors.allowed-origins has ${length} origins, but a session belongs to one browser origin; give ` +
      'app.security.refresh-session.cookie-per-origin=true so that each origin has a refresh cookie of its own',
  ];
}

function adviseOnDisclosure(settings: Settings): string[] {
  if (settings['app.api.error-disclosure.mode'] !== 'maximal') return [];
  return [
    'app.api.error-disclosure.mode is maximal with app.env=PROD: errors tell callers the actual reason and ' +
      'diagnostics; minimal hides them',
  ];
}

const RATE_LIMIT_STORES = ['app.security.login.rate-limit.store', 'app.security.m2m.rate-limit.store'] as const;

/** Warns of unencrypted connections to other machines that carry secrets or tenants' data. */
function adviseOnTls(settings: Settings): string[] {
  const found: string[] = [];
  const advice = (name: string, remedy: string) =>
    found.push(
      `${name} names another machine without TLS with app.env=PROD: what crosses the network can be read; ${remedy}`,
    );

  const database = parseDatabaseUrl(settings['app.database.url']);
  if (
    database.engine === 'mysql' &&
    !database.tls &&
    database.socketPath === undefined &&
    !database.hosts.every(({ host }) => staysOnMachine(host))
  )
    advice('app.database.url', 'add `?ssl=true`, or `?ssl-ca=FILE` for an authority of your own');

  const files = parseFilesUrl(settings['app.files.store']);
  if (files.kind === 's3' && isPlainRemote(files.endpoint, 'http:'))
    advice('app.files.store', 'give an endpoint that begins with https://');

  for (const name of RATE_LIMIT_STORES)
    if (isPlainRemote(settings[name], 'redis:')) advice(name, 'give a URL that begins with rediss://');
  return found;
}

function isPlainRemote(text: string | undefined, plainProtocol: string): boolean {
  const url = text === undefined ? null : URL.parse(text);
  return url?.protocol === plainProtocol && !staysOnMachine(url.hostname.replace(/^\[(.*)\]$/, '$1'));
}

/** Warns of secrets on the command line, which the process list and npm's output show. */
export function adviseOnFlags(flags: readonly Assignment[]): string[] {
  const names = new Set(flags.filter(isSecret).map(({ name }) => name));
  return [...names].map((name) => {
    const variable = environmentName(name);
    return (
      `${name} is given as a flag: the list of processes shows its secret, and so does the output of npm; give it through ` +
      `${variable}, or as a file through ${variable}_FILE`
    );
  });
}

/** Whether printing the value would mask part of it. */
function isSecret({ name, raw }: Assignment): boolean {
  const { secret, kind } = settingOf(name);
  if (secret !== true) return false;
  const value = kind.parse(raw);
  return value !== REFUSED && kind.show(value) !== raw;
}
