// The last moment of codes, requests, pushed requests and refresh tokens, over two processes with one clock.
import { beforeEach, describe, expect, it } from 'vitest';
import { CODES_CLEANUP } from '../../../src/auth/oauth/codes/code-store.ts';
import { GRANTS_CLEANUP } from '../../../src/auth/oauth/grants/grant-store.ts';
import { REQUESTS_CLEANUP } from '../../../src/auth/oauth/authorize/request-store.ts';
import { cleanup } from '../../../src/platform/jobs/cleanup.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { expectErrorPage } from '../../support/oauth/party.ts';
import { CODE_MS, TIMES } from '../../support/oauth/grant-model.ts';
import { openScene, type Scene } from '../../support/oauth/grant-scene.ts';
import { continueRequest, openedServices, REQUESTS, requestIdOf, signedIn } from '../../support/oauth/service.ts';
import { API } from '../../support/callers.ts';

rememberPasswords();

const [WEB, SPA] = [0, 1];
const REQUEST_MS = 600_000;
const PUSHED_MS = 90_000;
const REPEAT_MS = 30_000;
const IDLE_MS = TIMES.refreshTokenIdle * 1000;
const LIFETIME_MS = TIMES.refreshTokenLifetime * 1000;

describe.each(DIAGONAL)('deadlines, $engine over $transport', (kind) => {
  const services = openedServices(kind);
  const [service, second] = services;
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(services);
    await scene.perform({ kind: 'open', session: 0 }, 0);
  });

  const authorize = (party: number) =>
    scene.perform({ kind: 'authorize', grant: party, session: 0, party, offline: true }, 0);
  const exchange = (party: number) => scene.perform({ kind: 'exchange', grant: party }, 1);
  const refresh = (party: number, generation = 1) =>
    scene.perform({ kind: 'refresh', grant: party, generation }, generation % 2);
  const sweep = () =>
    cleanup({
      database: service.deployment.database,
      clock: service.deployment.clock.now,
      targets: [REQUESTS_CLEANUP, CODES_CLEANUP, GRANTS_CLEANUP],
      pauseMs: 0,
    });

  it('a code is good in its last millisecond, and late in the next one', async () => {
    await authorize(WEB);
    await authorize(SPA);
    scene.advance(CODE_MS - 1);
    expect(await exchange(WEB)).toBe('tokens 1');
    scene.advance(1);
    expect(await exchange(SPA)).toBe('invalid_grant');
  });

  it('a code that is used in its last millisecond is known long after it: its replay ends the grant', async () => {
    await authorize(SPA);
    scene.advance(CODE_MS - 1);
    await exchange(SPA);
    scene.advance(IDLE_MS - 1);
    await sweep();
    expect(await refresh(SPA)).toBe('tokens 2');
    expect(await exchange(SPA)).toBe('invalid_grant');
    expect(await refresh(SPA, 2)).toBe('invalid_grant');
  });

  it('a request is open for its last millisecond, and 404 in the next one, on the page too', async () => {
    const party = scene.parties[WEB]!;
    const user = await service.user({ tenantId: scene.account.tenantId });
    const opened = await Promise.all([1, 2].map(() => party.authorize(openBrowser(service))));
    const [first, late] = opened.map((outcome) => (outcome.kind === 'page' ? outcome.url : ''));
    scene.advance(REQUEST_MS - 1);
    await sweep();
    const browser = await signedIn(second, user);
    expect((await continueRequest(second, browser, first!, 'ALLOW')).body).toHaveProperty('redirectTo');
    scene.advance(1);
    expect((await continueRequest(second, browser, late!, 'ALLOW')).status).toBe(404);
    expect((await service.send('GET', `${service.issuer}${API}${REQUESTS}/${requestIdOf(late!)}`)).status).toBe(404);
  });

  describe('a pushed request', () => {
    const push = async () => {
      const party = scene.parties[WEB]!;
      const form = Object.fromEntries(party.request().parameters);
      const url = service.metadata['pushed_authorization_request_endpoint'];
      const { body } = await party.token(form, undefined, url);
      return new URLSearchParams({ client_id: party.client.id, request_uri: body.request_uri });
    };
    const open = (parameters: URLSearchParams) =>
      openBrowser(second).visit(scene.partyAt(WEB, 1).urlOf({ parameters }));

    it('opens in its last millisecond, and shows an error in the next one', async () => {
      const pushed = await push();
      scene.advance(PUSHED_MS - 1);
      expect((await open(pushed)).kind).toBe('page');
      scene.advance(1);
      expectErrorPage(await open(pushed));
    });

    it('that was opened in time waits for its user for 10 minutes, also while rows are cleaned up', async () => {
      const pushed = await push();
      scene.advance(PUSHED_MS - 1);
      const outcome = await open(pushed);
      scene.advance(REQUEST_MS - 1);
      await sweep();
      const browser = await signedIn(service, await service.user({ tenantId: scene.account.tenantId }));
      const response = await continueRequest(service, browser, outcome.kind === 'page' ? outcome.url : '', 'ALLOW');
      expect([response.status, response.body]).toEqual([200, { redirectTo: expect.stringContaining('code=') }]);
    });
  });

  describe.each([WEB, SPA])('a refresh token of application %i', (party) => {
    beforeEach(async () => {
      await authorize(party);
      await exchange(party);
    });
    const newest = () => Math.max(...scene.held.get(party)!.refresh.keys());

    it('is good in the last millisecond of its idle time, which begins anew, and over in the next one', async () => {
      scene.advance(IDLE_MS - 1);
      expect(await refresh(party)).toMatch(/^tokens/);
      scene.advance(IDLE_MS);
      expect(await refresh(party, newest())).toBe('invalid_grant');
    });

    it('ends with the lifetime of its grant, however often it is used', async () => {
      const steps = Math.ceil(LIFETIME_MS / (IDLE_MS - 1));
      const pauses = [...Array<number>(steps - 1).fill(IDLE_MS - 1), LIFETIME_MS - 1 - (steps - 1) * (IDLE_MS - 1)];
      for (const pause of pauses) {
        scene.advance(pause);
        expect(await refresh(party, newest())).toMatch(/^tokens/);
      }
      scene.advance(1);
      expect(await refresh(party, newest())).toBe('invalid_grant');
    });
  });

  describe('the token before the previous one of a public client', () => {
    beforeEach(async () => {
      await authorize(SPA);
      await exchange(SPA);
      await refresh(SPA, 1);
      await refresh(SPA, 2);
    });

    it('gets its successor again 30 s after that was used', async () => {
      scene.advance(REPEAT_MS);
      expect([await refresh(SPA, 1), await refresh(SPA, 2), await refresh(SPA, 3)]).toEqual([
        'tokens 2',
        'tokens 3',
        'tokens 4',
      ]);
    });

    it('is a replay a millisecond later', async () => {
      scene.advance(REPEAT_MS + 1);
      expect([await refresh(SPA, 1), await refresh(SPA, 3)]).toEqual(['invalid_grant', 'invalid_grant']);
    });
  });

  it('an access token is good until its last millisecond', async () => {
    await authorize(WEB);
    await exchange(WEB);
    const [token] = scene.held.get(WEB)!.access;
    scene.advance(TIMES.accessTokenTtl * 1000 - 1);
    expect(await scene.accepts(WEB, token!, 1)).toBe(true);
    scene.advance(1);
    expect(await scene.accepts(WEB, token!, 1)).toBe(false);
  });
});
