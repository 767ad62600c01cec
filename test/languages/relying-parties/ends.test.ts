// Each end of a session of the service ends the sessions of three applications of others.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { withWatchedPage } from '../../../web/test/support/watched-page.ts';
import { PASSWORD, PROVIDERS, startedProvider, type Provider } from './deployments.ts';
import { startAt, type RunningParty, type Visit } from './party.ts';
import { SPRING } from './parties/java.ts';
import { EXPRESS } from './parties/javascript.ts';
import { MOD_AUTH_OPENIDC } from './parties/products.ts';
import { eventually } from '../../support/eventually.ts';

const THREE = [MOD_AUTH_OPENIDC, SPRING, EXPRESS];

interface Stage extends Visit {
  readonly provider: Provider;
  readonly parties: readonly RunningParty[];
}

/** A request of the browser to the service, as its pages send it. */
async function post({ page, provider: { issuer } }: Stage, path: string): Promise<void> {
  const headers = { origin: new URL(issuer).origin };
  const response = await page.request.post(`${issuer}/api/v1${path}`, { headers });
  if (!response.ok()) throw new Error(`${path} responds ${response.status()}`);
}

const ofUser = (method: string, path: string, body?: object) => (stage: Stage) =>
  stage.provider.asAdmin(method, `/users/${stage.user.id}${path}`, body);

type End = readonly [what: string, end: (stage: Stage) => Promise<unknown>];

const ENDS: readonly End[] = [
  ['a logout', (stage) => post(stage, '/auth/logout')],
  ['the logout of one application', (stage) => stage.parties[0]!.logOut(stage)],
  ['an administrator who ends all sessions', ofUser('DELETE', '/sessions')],
  ['an administrator who sets a password', ofUser('PUT', '/password', { password: `${PASSWORD} 2` })],
  ['a disabled account', ofUser('POST', '/disable')],
  ['a deleted account', ofUser('DELETE', '')],
  ['a replay of the refresh token', replay],
];

async function replay(stage: Stage): Promise<void> {
  const cookies = await stage.page.context().cookies();
  await post(stage, '/auth/refresh');
  await stage.page.context().addCookies(cookies);
  await post(stage, '/auth/refresh').catch(() => undefined);
}

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe('back-channel logout', () => {
  const provider = startedProvider(PROVIDERS[0]!);
  const parties: RunningParty[] = [];
  const origins: string[] = [];
  let slowestMs = 0;
  beforeAll(async () => {
    origins.push(new URL(provider.issuer).origin);
    for (const party of THREE) {
      const [running, origin] = await startAt(provider, party);
      parties.push(running);
      origins.push(origin);
    }
  });
  afterAll(async () => {
    for (const party of parties) await party.stop();
    console.log(
      `The slowest of ${ENDS.length} ends took ${slowestMs.toFixed(0)} ms to reach ${THREE.length} applications.`,
    );
  });

  it.each(ENDS)('%s ends the sessions of all applications', async (_, end) => {
    const user = await provider.user();
    await withWatchedPage(browser, origins, async (page) => {
      const visit = { page, user };
      for (const party of parties) await party.logIn(visit);
      for (const party of parties) expect(await party.claims(visit)).toBeDefined();
      await end({ ...visit, provider, parties });
      const begun = performance.now();
      for (const party of parties) await eventually(async () => expect(await party.claims(visit)).toBeUndefined());
      slowestMs = Math.max(slowestMs, performance.now() - begun);
    });
  });
});
