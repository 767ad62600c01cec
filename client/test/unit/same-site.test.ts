// Whether browsers keep the refresh cookie between a page and a service.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCookieSession, createTokenSession } from '../../src/index.ts';
import { areDifferentSites } from '../../src/same-site.ts';

const differ = (page: string, service: string) => areDifferentSites(new URL(page), new URL(service));

describe('a page and a service', () => {
  it.each([
    ['http://localhost:5173', 'http://localhost:8080'],
    ['http://127.0.0.1:5173', 'http://127.0.0.1:8080'],
    ['http://[::1]:5173', 'http://[::1]:8080'],
    ['https://shop.example', 'https://shop.example:8443'],
    ['https://shop.example', 'https://auth.shop.example'],
    ['https://www.shop.example', 'https://auth.eu.shop.example'],
    ['http://intranet', 'http://intranet:8080'],
  ])('%s and %s are one site', (page, service) => {
    expect(differ(page, service)).toBe(false);
  });

  it.each([
    ['http://localhost:5173', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:5173', 'http://localhost:8080'],
    ['http://127.0.0.1', 'http://10.0.0.1'],
    ['http://1.2.3.4', 'http://9.9.3.4'],
    ['http://[::1]', 'http://[::2]'],
    ['http://app.localhost', 'http://api.localhost'],
    ['https://shop.example', 'https://auth.example'],
    ['http://shop.example', 'https://shop.example'],
  ])('%s and %s are different sites', (page, service) => {
    expect(differ(page, service)).toBe(true);
  });
});

describe('a session', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  afterEach(() => {
    vi.unstubAllGlobals();
    warn.mockClear();
  });
  const openOn = (page: string, baseUrl: string | undefined, create = createCookieSession) => {
    vi.stubGlobal('location', new URL(page));
    create(baseUrl === undefined ? {} : { baseUrl }).close();
  };

  it('under Profile A warns of another site with both addresses', async () => {
    openOn('http://localhost:5173/shop', 'http://127.0.0.1:8080');
    await expect.poll(() => warn).toHaveBeenCalled();
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/http:\/\/localhost:5173 .*http:\/\/127\.0\.0\.1:8080 are different sites/),
    );
  });

  it('does not warn on one site, under Profile B, or on a page that is not of the web', async () => {
    openOn('http://localhost:5173', 'http://localhost:8080');
    openOn('http://localhost:5173', undefined);
    openOn('http://localhost:5173', 'http://127.0.0.1:8080', createTokenSession);
    openOn('chrome-extension://abcdef', 'https://auth.shop.example');
    // The last one warns after all others could.
    openOn('http://localhost:5173', 'http://127.0.0.1:8081');
    await expect.poll(() => warn).toHaveBeenCalled();
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(':8081'));
  });
});
