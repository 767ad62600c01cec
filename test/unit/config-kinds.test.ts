import fc from 'fast-check';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { REFUSED, type Raw, formatDuration, parseDuration } from '../../src/platform/config/kinds.ts';
import {
  SETTINGS,
  SETTING_NAMES,
  type SettingName,
  environmentName,
  settingOf,
} from '../../src/platform/config/schema.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

const GOOD: readonly (readonly [SettingName, Raw, unknown])[] = [
  ['app.name', 'my-shop', 'my-shop'],
  ['app.brand.name', 'Müller & Söhne', 'Müller & Söhne'],
  ['app.brand.color', '#1F6f5c', '#1F6f5c'],
  ['app.brand.color', 'none', undefined],
  ['app.http.port', '0', 0],
  ['app.http.port', '65535', 65_535],
  ['app.http.host', '::', '::'],
  ['app.http.host', 'localhost', 'localhost'],
  ['app.http.context-path', '/shop/eu', '/shop/eu'],
  ['app.http.trusted-proxies', '10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ['app.http.trusted-proxies', ['10.0.0.1', 'fd00::/8'], ['10.0.0.1', 'fd00::/8']],
  ['app.http.trusted-proxies', '', []],
  ['app.http.trusted-proxies', [], []],
  [
    'app.http.cors.allowed-origins',
    'https://a.test,http://b.test:3000',
    { origins: ['https://a.test', 'http://b.test:3000'], anyLoopbackPort: false },
  ],
  ['app.gateway.core', 'dns:///core:50051', 'dns:///core:50051'],
  ['app.gateway.core', 'core:50051', 'core:50051'],
  ['app.gateway.core', 'ipv4:10.0.0.1:50051,10.0.0.2:50051', 'ipv4:10.0.0.1:50051,10.0.0.2:50051'],
  ['app.gateway.core', 'ipv6:[::1]:50051', 'ipv6:[::1]:50051'],
  ['app.gateway.core', 'unix:/run/core.sock', 'unix:/run/core.sock'],
  ['app.rpc.host', 'unix:/run/core.sock', 'unix:/run/core.sock'],
  ['app.rpc.enabled', 'false', false],
  ['app.database.url', 'sqlite:data/x.db', 'sqlite:data/x.db'],
  ['app.database.url', 'mysql://u:p%40@[::1]:3306/db?ssl=true', 'mysql://u:p%40@[::1]:3306/db?ssl=true'],
  ['app.database.url', 'mysql://h/db?ssl-ca=/none.pem', 'mysql://h/db?ssl-ca=/none.pem'],
  ['app.files.store', 'disk:data/files', 'disk:data/files'],
  ['app.files.store', 's3://shop', 's3://shop'],
  [
    'app.files.store',
    's3://shop.eu/a/b-c/?endpoint=http://[::1]:9000&region=eu-1',
    's3://shop.eu/a/b-c/?endpoint=http://[::1]:9000&region=eu-1',
  ],
  ['app.files.max-bytes', '1', 1],
  ['app.bootstrap.file', 'none', undefined],
  ['app.bootstrap.file', 'accounts.yaml', 'accounts.yaml'],
  ['app.shutdown-grace', '0', 0],
  ['app.security.key-encryption-key', KEY, Buffer.alloc(32, 7)],
  ['app.security.key-encryption-other-keys', 'none', []],
  ['app.security.key-encryption-other-keys', `${KEY}, ${KEY}`, [Buffer.alloc(32, 7), Buffer.alloc(32, 7)]],
  ['app.security.refresh-session.absolute-lifetime', '12h', 43_200_000],
  ['app.security.refresh-session.absolute-lifetime', 'none', undefined],
  ['app.security.refresh-session.cookie-name', 'a!#$', 'a!#$'],
  ['app.security.password.max-concurrent-hashes', 'auto', availableParallelism()],
  ['app.security.login.rate-limit.store', 'redis://:pw@cache:6379', 'redis://:pw@cache:6379'],
];

const BAD: readonly (readonly [SettingName, Raw])[] = [
  ['app.name', '-shop'],
  ['app.brand.name', 'a\nb'],
  ['app.brand.name', 'a'.repeat(65)],
  ['app.brand.color', 'green'],
  ['app.brand.color', '#fff'],
  ['app.brand.color', '#1f6f5c;}'],
  ['app.name', 'a'.repeat(64)],
  ['app.name', ['a']],
  ['app.env', 'dev'],
  ['app.http.port', '65536'],
  ['app.http.port', '-1'],
  ['app.http.port', '80.0'],
  ['app.http.port', '0x50'],
  ['app.http.port', ' 80'],
  ['app.http.port', ''],
  ['app.http.port', 'tcp://10.0.0.1:80'],
  ['app.http.host', 'http://localhost'],
  ['app.http.host', 'unix:/tmp/x'],
  ['app.http.host', ''],
  ['app.http.context-path', '/'],
  ['app.http.context-path', '/shop/'],
  ['app.http.context-path', '/a/../b'],
  ['app.http.context-path', '/a;b'],
  ['app.http.trusted-proxies', 'proxy.test'],
  ['app.http.trusted-proxies', '0.0.0.0/0'],
  ['app.http.trusted-proxies', '10.0.0.0/33'],
  ['app.http.trusted-proxies', '10.0.0.1,,10.0.0.2'],
  ['app.http.trusted-proxies', 'true'],
  ['app.http.cors.allowed-origins', '*'],
  ['app.http.cors.allowed-origins', 'null'],
  ['app.http.cors.allowed-origins', 'https://a.test/'],
  ['app.http.cors.allowed-origins', 'https://a.test/path'],
  ['app.http.cors.allowed-origins', 'https://A.test'],
  ['app.http.cors.allowed-origins', 'https://a.test:443'],
  ['app.http.cors.allowed-origins', 'http://localhost:*'],
  ['app.gateway.core', 'dns:///core'],
  ['app.gateway.core', 'http://core:50051'],
  ['app.gateway.core', ''],
  ['app.rpc.enabled', 'yes'],
  ['app.rpc.trusted-gateways', 'a b'],
  ['app.rpc.tls.key', '-----BEGIN PRIVATE KEY-----\nabc'],
  ['app.database.url', 'sqlite:'],
  ['app.database.url', 'sqlite://data/x.db'],
  ['app.database.url', 'postgres://u:p@h/db'],
  ['app.database.url', 'mysql://u:p@h'],
  ['app.database.url', 'mysql:///db'],
  ['app.database.url', 'mysql://u:p%zz@h/db'],
  ['app.database.url', 'mysql://u:p@h/db\n'],
  ['app.database.url', 'mysql://u:p@h/db?tls=true'],
  ['app.database.url', 'mysql://u:p@h/db?ssl=yes'],
  ['app.database.url', 'mysql://u:p@h/db?ssl=true&ssl=false'],
  ['app.database.url', 'mysql://u:p@h/db?ssl-ca='],
  ['app.files.store', 'data/files'],
  ['app.files.store', 'disk:'],
  ['app.files.store', 'disk://data'],
  ['app.files.store', 's3://'],
  ['app.files.store', 's3://S'],
  ['app.files.store', 's3://shop:80'],
  ['app.files.store', 's3://key:secret@shop'],
  ['app.files.store', 's3://shop/a//b'],
  ['app.files.store', 's3://shop/a%20b'],
  ['app.files.store', 's3://shop?endpoint=minio:9000'],
  ['app.files.store', 's3://shop?endpoint=http://key:secret@minio'],
  ['app.files.store', 's3://shop?endpoint=http://a&endpoint=http://b'],
  ['app.files.store', 's3://shop?region=EU%20West'],
  ['app.files.store', 's3://shop?acl=public'],
  ['app.files.store', 's3://shop#x'],
  ['app.files.store', 's3://shop/a\n'],
  ['app.files.max-bytes', '0'],
  ['app.files.max-bytes', '5368709121'],
  ['app.database.pool-size', '0'],
  ['app.security.auth-profile', 'b'],
  ['app.security.key-encryption-key', KEY.slice(4)],
  ['app.security.key-encryption-key', `${KEY}\n`],
  ['app.security.key-encryption-key', KEY.replace('=', '')],
  ['app.security.key-encryption-other-keys', `${KEY},${KEY.slice(4)}`],
  ['app.security.access-token-ttl', '0'],
  ['app.security.access-token-ttl', '500ms'],
  ['app.security.access-token-ttl', '25h'],
  ['app.security.access-token-ttl', '15M'],
  ['app.security.access-token-ttl', '1.5h'],
  ['app.security.access-token-ttl', 'none'],
  ['app.security.refresh-session.cookie-name', 'a b'],
  ['app.security.refresh-session.cookie-name', 'a=b'],
  ['app.security.refresh-session.cookie-name', '__Host-a'],
  ['app.security.login.rate-limit.store', 'http://cache'],
  ['app.log.level', 'verbose'],
];

describe('values of settings', () => {
  it.each(GOOD)('%s accepts %j', (name, raw, value) => {
    expect(settingOf(name).kind.parse(raw)).toEqual(value);
  });

  it.each(BAD)('%s rejects %j', (name, raw) => {
    expect(settingOf(name).kind.parse(raw)).toBe(REFUSED);
  });

  it.each(GOOD.filter(([name]) => !settingOf(name).secret))('%s prints %j in an accepted format', (name, raw) => {
    const { kind } = settingOf(name);
    const value = kind.parse(raw);
    expect(kind.parse(kind.show(value))).toEqual(value);
  });
});

describe('the table of settings', () => {
  const fixed = SETTING_NAMES.filter((name) => typeof settingOf(name).default === 'string');

  it.each(fixed)('%s has a default that it accepts', (name) => {
    expect(settingOf(name).kind.parse(settingOf(name).default as string)).not.toBe(REFUSED);
  });

  it('has unique environment variables', () => {
    const variables = SETTING_NAMES.flatMap((name) => [environmentName(name), `${environmentName(name)}_FILE`]);
    expect(new Set(variables).size).toBe(variables.length);
    expect(environmentName('app.security.refresh-session.rotation-mode')).toBe(
      'APP_SECURITY_REFRESH_SESSION_ROTATION_MODE',
    );
  });

  it('has no setting that is also a section', () => {
    const nested = SETTING_NAMES.filter((name) => SETTING_NAMES.some((other) => other.startsWith(`${name}.`)));
    expect(nested).toEqual([]);
  });

  it.each([
    ['app.database.url', 'mysql://root:hush@h:3306/db', 'mysql://root:******@h:3306/db'],
    ['app.database.url', 'mysql://root:hu@sh@h/db', 'mysql://root:******@h/db'],
    ['app.database.url', 'mysql://root@h/db?password=hush&x=1', 'mysql://root@h/db?password=******&x=1'],
    ['app.security.login.rate-limit.store', 'redis://:hush@cache', 'redis://:******@cache'],
  ] as const)('%s masks %s', (name, value, shown) => {
    expect(SETTINGS[name].kind.show(value)).toBe(shown);
  });

  it('prints only the number of keys', () => {
    const key = Buffer.from(KEY, 'base64');
    expect(SETTINGS['app.security.key-encryption-other-keys'].kind.show([key, key])).toBe('******,******');
  });
});

describe('durations', () => {
  it.each([
    ['900', 900_000],
    ['900s', 900_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['1000000000', 1_000_000_000_000],
  ])('parses %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it('does not parse numbers that are too long to be exact', () => {
    expect(parseDuration('999999999999d')).toBeUndefined();
  });

  it('parses its own output', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (seconds) => {
        expect(parseDuration(formatDuration(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });

  it('parses only a number with a unit', () => {
    const unit = fc.constantFrom(['', 1], ['s', 1], ['m', 60], ['h', 3600], ['d', 86_400]) as fc.Arbitrary<
      [string, number]
    >;
    fc.assert(
      fc.property(fc.nat(999_999), unit, (count, [suffix, seconds]) => {
        expect(parseDuration(`${count}${suffix}`)).toBe(count * seconds * 1000);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^\d+[smhd]?$/.test(text));
        expect(parseDuration(text)).toBeUndefined();
      }),
    );
  });
});
