// The OpenAPI document for a linter, and its page in a browser: valid, without foreign files.
import { request } from 'node:http';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, type Deployment } from '../../support/deployment.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** Sends a path as it is; fetch would resolve the dots. */
function statusOf(base: string, path: string, headers = {}): Promise<number> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .once('error', reject)
      .end();
  });
}

describe.each(['A', 'B'])('profile %s', (profile) => {
  let deployment: Deployment;

  beforeAll(async () => {
    const settings = { 'app.security.auth-profile': profile };
    deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  });
  afterAll(() => deployment?.close());

  const get = (path: string) => fetch(new URL(path, deployment.url));

  it('the OpenAPI document passes the strictest rules of a linter', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const source = await (await get('/openapi.json')).text();
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    // The authorization endpoint answers with redirects and pages of errors only.
    const authorize = /^#\/paths\/~1api~1v1~1auth~1oauth2~1authorize\/(?:get|post)\/responses$/;
    const isExpected = ({ ruleId, location }: (typeof problems)[number]) =>
      ruleId === 'operation-2xx-response' && authorize.test(location[0]?.pointer ?? '');
    const found = problems.filter((problem) => !isExpected(problem));
    expect(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
  });

  it('the linter reports an invalid document', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const description = (await (await get('/openapi.json')).json()) as { paths: Record<string, object> };
    description.paths['/broken'] = { get: { responses: {} } };
    const source = JSON.stringify(description);
    expect(await lintFromString({ source, absoluteRef: '/openapi.json', config })).not.toEqual([]);
  });

  it('every operation has a unique id', async () => {
    const { paths } = (await (await get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const names = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(names).toContain(profile === 'A' ? 'login' : 'getMe');
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(['/docs', '/docs/listUsers'])('the page %s loads all its files from this server', async (path) => {
    const page = await get(path);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toBe(POLICY);
    const html = await page.text();
    expect(html).not.toMatch(/<style|style=|<script>|\son\w+=/);
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
    expect(named.length).toBeGreaterThan(3);
    for (const url of named) {
      expect(new URL(url, page.url).origin).toBe(new URL(deployment.url).origin);
      const answer = await get(url);
      expect([url, answer.status]).toEqual([url, 200]);
      await answer.arrayBuffer();
    }
  });

  it.each(['/docs/../health/live', '/docs/%2e%2e/health/live', '/docs/./../.well-known/jwks.json'])(
    'serves no other route below the page: %s',
    async (path) => {
      expect(await statusOf(deployment.url, '/health/live')).toBe(200);
      expect(await statusOf(deployment.url, path)).toBe(404);
    },
  );
});
