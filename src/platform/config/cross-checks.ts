// Rules that involve several settings.
import { staysOnMachine } from '../formats/network.ts';
import { passkeyHost } from './network-kinds.ts';
import type { Problem } from './problem.ts';
import type { SettingName } from './schema.ts';
import type { Settings } from './settings.ts';

/** The parts that run in the process: both, one alone, or none. A `command` uses the database and serves nothing. */
export type Role = 'all' | 'core' | 'gateway' | 'command';

/** The source of each setting's value; `default` if no source gave one. */
export type Origins = Readonly<Record<SettingName, string>>;

type CrossCheck = readonly [
  /** The processes to which the rule applies. */
  roles: readonly Role[],
  /**
   * The settings that the rule reads. Errors name the first one. The rule is skipped if one of them is invalid by
   * itself.
   */
  involves: readonly [SettingName, ...SettingName[]],
  isBroken: (settings: Settings, origins: Origins) => boolean,
  /** The problem and its solution. */
  problem: string | ((settings: Settings) => string),
];

const CORE: readonly Role[] = ['all', 'core'];
const GATEWAY: readonly Role[] = ['all', 'gateway'];
const ANY: readonly Role[] = ['all', 'core', 'gateway'];

/** A certificate requires its key and vice versa. The error names the missing one. */
const missing = (roles: readonly Role[], name: SettingName, other: SettingName): CrossCheck => [
  roles,
  [name, other],
  (settings) => settings[name] === undefined && settings[other] !== undefined,
  `must be given together with ${other}: the path of a PEM file`,
];

/** A feature requires app.public-url. It is on if its setting has a value other than `false`. */
const needsPublicUrl = (roles: readonly Role[], feature: SettingName): CrossCheck => [
  roles,
  [feature, 'app.public-url'],
  (settings) =>
    settings['app.public-url'] === undefined && settings[feature] !== undefined && settings[feature] !== false,
  'needs app.public-url, the URL of the service in browsers; give one such as `https://auth.example.com`',
];

/** Whether an optional URL is unsafe in browsers: neither https, nor http on `localhost`. */
function isUnsafe(text: string | undefined): boolean {
  const url = text === undefined ? undefined : new URL(text);
  return url !== undefined && url.protocol !== 'https:' && url.hostname !== 'localhost';
}

/** Whether a relying party id is the host or a parent domain of it. Without a host, another rule has the error. */
function isRpIdOf(id: string | undefined, host: string | undefined): boolean {
  if (host === undefined || id === host) return true;
  return id !== undefined && id.includes('.') && host.endsWith(`.${id}`);
}

/** The path of URLs below a context path; empty for `any`. */
const pathOf = (contextPath: string): string => (contextPath === 'any' ? '' : contextPath);

const CROSS_CHECKS: readonly CrossCheck[] = [
  [
    ANY,
    ['app.security.refresh-session.rotation-mode', 'app.env'],
    (settings) =>
      settings['app.security.refresh-session.rotation-mode'] === 'reusable' && settings['app.env'] !== 'DEV',
    (settings) =>
      `\`reusable\` is accepted only with app.env=DEV, but app.env is ${settings['app.env']}; ` +
      'give app.security.refresh-session.rotation-mode=strict',
  ],
  [
    CORE,
    ['app.security.key-encryption-key', 'app.env'],
    (settings) => settings['app.env'] === 'PROD' && settings['app.security.key-encryption-key'] === undefined,
    'required with app.env=PROD; give base64 of exactly 32 bytes, as made by `openssl rand -base64 32`, best ' +
      'through APP_SECURITY_KEY_ENCRYPTION_KEY or APP_SECURITY_KEY_ENCRYPTION_KEY_FILE',
  ],
  [
    [...CORE, 'command'],
    ['app.database.url', 'app.env'],
    (settings, origins) => settings['app.env'] === 'PROD' && origins['app.database.url'] === 'default',
    'must be given with app.env=PROD; give `mysql://user:password@host:3306/database`, or `sqlite:PATH` ' +
      'for the embedded engine',
  ],
  [
    CORE,
    ['app.workers', 'app.database.url'],
    (settings) => settings['app.workers'] > 1 && settings['app.database.url'].startsWith('sqlite:'),
    'more than 1 needs MySQL or MariaDB, but app.database.url is SQLite, which has one writer at a time; give 1, or ' +
      'app.database.url=mysql://user:password@host:3306/database',
  ],
  missing(CORE, 'app.rpc.tls.cert', 'app.rpc.tls.key'),
  missing(CORE, 'app.rpc.tls.key', 'app.rpc.tls.cert'),
  missing(GATEWAY, 'app.gateway.tls.cert', 'app.gateway.tls.key'),
  missing(GATEWAY, 'app.gateway.tls.key', 'app.gateway.tls.cert'),
  [
    CORE,
    ['app.rpc.tls.client-ca', 'app.rpc.tls.cert'],
    (settings) => settings['app.rpc.tls.client-ca'] !== undefined && settings['app.rpc.tls.cert'] === undefined,
    'needs TLS; give app.rpc.tls.cert and app.rpc.tls.key too',
  ],
  [
    CORE,
    ['app.rpc.trusted-gateways', 'app.rpc.tls.client-ca', 'app.rpc.host'],
    (settings) =>
      settings['app.rpc.trusted-gateways'].length > 0 &&
      settings['app.rpc.tls.client-ca'] === undefined &&
      !settings['app.rpc.host'].startsWith('unix:'),
    'needs client certificates; give app.rpc.tls.client-ca too, or listen on app.rpc.host=unix:/path',
  ],
  [
    CORE,
    ['app.rpc.plaintext', 'app.env', 'app.rpc.enabled', 'app.rpc.host', 'app.rpc.tls.cert', 'app.rpc.tls.key'],
    (settings) =>
      settings['app.env'] === 'PROD' &&
      settings['app.rpc.enabled'] &&
      !settings['app.rpc.plaintext'] &&
      settings['app.rpc.tls.cert'] === undefined &&
      settings['app.rpc.tls.key'] === undefined &&
      !staysOnMachine(settings['app.rpc.host']),
    (settings) =>
      `must be \`true\` for gRPC without TLS on app.rpc.host=${settings['app.rpc.host']} with app.env=PROD, for ` +
      'credentials cross it; better give app.rpc.tls.cert and app.rpc.tls.key, or listen on 127.0.0.1 or unix:/path',
  ],
  [
    ['core'],
    ['app.rpc.enabled'],
    (settings) => !settings['app.rpc.enabled'],
    'a core that runs alone serves nothing but gRPC; give `true`',
  ],
  [
    GATEWAY,
    ['app.http.hsts', 'app.http.trusted-proxies'],
    (settings) => settings['app.http.hsts'] !== undefined && settings['app.http.trusted-proxies'].length === 0,
    'needs app.http.trusted-proxies: only a trusted proxy can say that a request came over HTTPS',
  ],
  [
    ANY,
    ['app.security.refresh-session.cookie-name', 'app.security.refresh-session.cookie-secure'],
    (settings) =>
      /^__(?:secure|http)-/i.test(settings['app.security.refresh-session.cookie-name']) &&
      !settings['app.security.refresh-session.cookie-secure'],
    'browsers take such a cookie only with app.security.refresh-session.cookie-secure=true; give that, or another name',
  ],
  needsPublicUrl(CORE, 'app.security.passkeys.enabled'),
  [
    CORE,
    ['app.security.passkeys.enabled', 'app.public-url'],
    (settings) =>
      settings['app.security.passkeys.enabled'] &&
      settings['app.public-url'] !== undefined &&
      passkeyHost(settings['app.public-url']) === undefined,
    'browsers have no passkeys for IP addresses; give `false`, or an app.public-url with a host name',
  ],
  [
    CORE,
    ['app.security.passkeys.rp-id', 'app.security.passkeys.enabled', 'app.public-url'],
    (settings) =>
      settings['app.security.passkeys.enabled'] &&
      !isRpIdOf(settings['app.security.passkeys.rp-id'], passkeyHost(settings['app.public-url'])),
    (settings) =>
      `must be the host of app.public-url, which is ${settings['app.public-url']}, or a parent domain of it with at least ` +
      'two labels',
  ],
  [
    // The core does not know the context path.
    GATEWAY,
    ['app.public-url', 'app.http.context-path'],
    ({ 'app.public-url': url, 'app.http.context-path': contextPath }) =>
      url !== undefined && url !== new URL(url).origin + pathOf(contextPath),
    ({ 'app.http.context-path': contextPath }) =>
      `its path must be app.http.context-path, which is ${contextPath}; give a URL ` +
      (contextPath === 'any' ? 'without a path, such as ' : 'such as ') +
      `\`https://auth.example.com${pathOf(contextPath)}\``,
  ],
  needsPublicUrl(ANY, 'app.mail.url'),
  needsPublicUrl(ANY, 'app.oauth.enabled'),
  [
    // A gateway does not know the issuer and the audience of its core.
    CORE,
    ['app.oauth.enabled', 'app.security.jwt.issuer', 'app.public-url'],
    (settings) =>
      settings['app.oauth.enabled'] &&
      settings['app.public-url'] !== undefined &&
      settings['app.security.jwt.issuer'] !== settings['app.public-url'],
    (settings) =>
      `needs an app.security.jwt.issuer that is app.public-url, ${settings['app.public-url']}; remove app.security.jwt.issuer`,
  ],
  [
    CORE,
    ['app.oauth.enabled', 'app.security.jwt.audience', 'app.public-url'],
    (settings) =>
      settings['app.oauth.enabled'] &&
      settings['app.public-url'] !== undefined &&
      settings['app.security.jwt.audience'] === settings['app.public-url'],
    'needs an app.security.jwt.audience other than app.public-url, which is the audience of the tokens of applications',
  ],
  [
    GATEWAY,
    ['app.oauth.enabled', 'app.http.pages'],
    (settings) => settings['app.oauth.enabled'] && !settings['app.http.pages'],
    'needs the login page; give app.http.pages=true',
  ],
  [
    GATEWAY,
    ['app.http.pages', 'app.public-url', 'app.env'],
    (settings) =>
      settings['app.env'] === 'PROD' && settings['app.http.pages'] && settings['app.public-url'] === undefined,
    'needs app.public-url in PROD, the URL of the service in browsers; give one such as `https://auth.example.com`',
  ],
  [
    ANY,
    ['app.public-url', 'app.env'],
    (settings) => settings['app.env'] === 'PROD' && isUnsafe(settings['app.public-url']),
    'must be https with app.env=PROD, except on localhost; give a URL such as `https://auth.example.com`',
  ],
];

interface CrossChecked {
  readonly problems: readonly Problem[];
  /** Whether one of the problems exists only in this environment. */
  readonly dependsOnEnvironment: boolean;
}

/** Applies the rules of the role. `wrong` are the settings that already have a problem. */
export function crossCheck(settings: Settings, origins: Origins, role: Role, wrong: ReadonlySet<string>): CrossChecked {
  const broken = CROSS_CHECKS.filter(
    ([roles, involves, isBroken]) =>
      roles.includes(role) && !involves.some((name) => wrong.has(name)) && isBroken(settings, origins),
  );
  const problems = broken.map(([, [name], , problem]) => ({
    name,
    source: origins[name] === 'default' ? 'not set' : origins[name],
    message: typeof problem === 'string' ? problem : problem(settings),
  }));
  return { problems, dependsOnEnvironment: broken.some(([, involves]) => involves.includes('app.env')) };
}
