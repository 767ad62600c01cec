// Pages between two pages of an application: they keep the opener of a popup, and say why a request leads nowhere.
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../../gateway/context.ts';
import { createErrorPages, type RequestFault } from '../../gateway/pages/error-page.ts';
import { branded, BUILT_PAGES } from '../../gateway/pages/page-source.ts';
import { SETTINGS, sharedGateway } from './gateway.ts';

const PROD = { 'app.env': 'PROD', 'app.http.pages': true, 'app.public-url': 'https://shop.test' } as const;

async function headersOf(url: string): Promise<Record<string, unknown>> {
  const { app } = await sharedGateway(PROD);
  const { statusCode, headers } = await app.inject({ method: 'GET', url, headers: { host: 'shop.test' } });
  return { ...headers, status: statusCode };
}

describe('a page with an authorization request', () => {
  it.each(['/login?request=abc', '/login?request=', '/login?a=1&request=abc', '/recover?request=abc'])(
    '%s keeps the opener of a popup, and still forbids framing',
    async (url) => {
      const headers = await headersOf(url);
      expect(headers.status).toBe(200);
      expect(headers).not.toHaveProperty('cross-origin-opener-policy');
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    },
  );

  it.each(['/login', '/login?return=request', '/recover', '/console?request=abc', '/account?request=abc'])(
    '%s has an opener policy',
    async (url) => {
      expect((await headersOf(url))['cross-origin-opener-policy']).toBe('same-origin');
    },
  );
});

const FAULTS: readonly (readonly [RequestFault, number, string])[] = [
  ['unknown-application', 400, 'client_id'],
  ['wrong-redirect-uri', 400, 'redirect_uri'],
  ['invalid-request', 400, 'request_uri'],
  ['too-many-open', 429, 'app.oauth.pending-requests'],
  ['too-large', 414, '16 kB'],
  ['unavailable', 503, 'database'],
];

async function errorPage(fault: RequestFault, language?: string, settings: Partial<GatewaySettings> = {}) {
  const brand = { color: '#0b57d0', logo: undefined };
  const send = createErrorPages({ ...SETTINGS, ...settings }, branded(BUILT_PAGES, brand));
  const app = Fastify({ genReqId: () => 'id-of-<request>' });
  app.get('/', (request, reply) => send(request, reply, fault));
  return app.inject({ url: '/', headers: language === undefined ? {} : { 'accept-language': language } });
}

describe('the page of a refused authorization request', () => {
  it.each(FAULTS)('says %s with %d, for users and for developers', async (fault, status, name) => {
    const { statusCode, headers, body } = await errorPage(fault);
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-language': 'en',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      vary: 'Accept-Language',
    });
    expect(body).toContain(name);
    expect(body).toContain('<code>id-of-&lt;request&gt;</code>');
  });

  it('loads its style sheets and nothing else', async () => {
    const { headers, body } = await errorPage('unknown-application', undefined, { 'app.http.context-path': '/shop' });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers).not.toHaveProperty('cross-origin-opener-policy');
    expect(body).not.toMatch(/<script|<style|style=|\son\w+=|https?:|<form|<a\s/);
    expect(body.match(/href="\/shop\/assets\/(?:icon|style|brand)-/g)).toHaveLength(3);
  });

  it('escapes the name of the service', async () => {
    const { body } = await errorPage('too-large', 'en', { 'app.brand.name': '<img>"shop' });
    expect(body).toContain('<bdi>&lt;img&gt;&quot;shop</bdi>');
    expect(body).not.toContain('<img>');
  });

  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE-ch;q=0.9, fr', 'de'],
    ['fr-FR,en;q=0.8,de;q=0.9', 'de'],
    ['fr, de;q=0, en;q=0.1', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [';;,,q=,de;q=x', 'en'],
    [`${'fr,'.repeat(10_000)}de`, 'en'],
  ])('is for Accept-Language %j in %s', async (header, language) => {
    const { headers, body } = await errorPage('unknown-application', header);
    expect(headers['content-language']).toBe(language);
    expect(body).toContain(`<html lang="${language}">`);
  });
});
