// The settings of mail.
import { describe, expect, it } from 'vitest';
import { connectionOptionsOf } from '../../src/auth/mail/transport.ts';
import { loadSettings } from '../../src/platform/config/load.ts';
import { printSettings } from '../../src/platform/config/print.ts';
import { parseMailUrl, type MailServer } from '../../src/platform/formats/mail-url.ts';

const load = (...flags: string[]) =>
  loadSettings({ argv: flags.map((flag) => `--${flag}`), env: {}, cwd: '/nowhere', role: 'gateway' });
const PUBLIC = 'app.public-url=https://auth.shop.test';

describe('app.mail.url', () => {
  it('is none in PROD and TEST, and a folder in DEV', () => {
    expect(load().settings['app.mail.url']).toBeUndefined();
    expect(load('app.env=TEST', PUBLIC).settings['app.mail.url']).toBeUndefined();
    expect(load('app.env=DEV').settings['app.mail.url']).toBe('file:data/mail');
    expect(load('app.env=DEV', 'app.http.port=0').settings['app.mail.url']).toBeUndefined();
  });

  it('needs app.public-url', () => {
    expect(() => load('app.mail.url=smtp://mail.shop.test')).toThrow('app.mail.url: needs app.public-url');
    expect(load('app.mail.url=smtp://mail.shop.test', PUBLIC).settings['app.mail.from']).toBe(
      'no-reply@auth.shop.test',
    );
  });

  it.each([
    'smtp://host',
    'smtp://host:25',
    'smtps://host',
    'smtp://[::1]:2525',
    'smtp://user:p%40ss@host',
    'smtps://user:password@host:465?ca=/etc/ca.pem',
    'file:data/mail',
    'file:/var/mail',
  ])('accepts %s', (url) => {
    expect(load(`app.mail.url=${url}`, PUBLIC).settings['app.mail.url']).toBe(url);
  });

  it.each([
    'http://host',
    'smtp:host',
    'smtp://',
    'smtp://host/path',
    'smtp://host#x',
    'smtp://user@host',
    'smtp://user:%E0@host',
    'smtp://host?ca=',
    'smtp://host?tls=false',
    'file:',
    'file:///etc',
    'mail.shop.test',
  ])('refuses %s', (url) => {
    expect(() => load(`app.mail.url=${url}`, PUBLIC)).toThrow('app.mail.url: not accepted');
  });

  it('is printed without its password', () => {
    const loaded = load('app.mail.url=smtp://user:geheim@host', PUBLIC);
    const printed = printSettings(loaded);
    expect(printed).toContain('smtp://user:******@host');
    expect(printed).not.toContain('geheim');
  });
});

it.each([['no-reply'], ['a@b\r\nBcc: c@d'], ['Name <a@b>'], ['a b@c.test']])('app.mail.from refuses %j', (address) => {
  expect(() => load(`app.mail.from=${address}`)).toThrow('app.mail.from: not accepted');
});

describe('the connection', () => {
  const optionsOf = (url: string) => connectionOptionsOf(parseMailUrl(url) as MailServer);

  it.each([
    ['smtp://mail.shop.test', { port: 587, secure: false, requireTLS: true, tls: { rejectUnauthorized: true } }],
    ['smtp://192.0.2.1:25', { port: 25, secure: false, requireTLS: true, tls: { rejectUnauthorized: true } }],
    ['smtps://mail.shop.test', { port: 465, secure: true, requireTLS: false, tls: { rejectUnauthorized: true } }],
    ['smtps://localhost', { port: 465, secure: true, requireTLS: false, tls: { rejectUnauthorized: true } }],
    ['smtp://localhost:25', { port: 25, secure: false, requireTLS: false, tls: { rejectUnauthorized: false } }],
    ['smtp://127.0.0.1', { secure: false, requireTLS: false }],
    ['smtp://[::1]', { host: '::1', secure: false, requireTLS: false }],
  ])('of %s uses TLS beyond loopback', (url, options) => {
    expect(optionsOf(url)).toMatchObject(options);
  });
});
