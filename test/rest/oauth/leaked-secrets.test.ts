// Whole flows of applications, used and misused, under maximal disclosure and with every log line and span kept. Then no secret of them is in
// any trace. test/rest/leaked-secrets.test.ts does the same for the credentials of accounts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API } from '../../support/callers.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { createCanaries, databaseBytes } from '../../support/canaries.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { witnessResponses } from '../../support/http-request.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { startLogoutReceiver } from '../../support/oauth/logout-receiver.ts';
import { authorizedBy, random, WITHOUT_PKCE, type Authorized, type Tokens } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { newSigningKey } from '../../support/oauth/signing-key.ts';
import {
  callerOf,
  continueRequest,
  ISSUER,
  openedService,
  requestIdOf,
  REQUESTS,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { bearer } from '../../support/rest-client.ts';
import { recordSpans } from '../../support/spans.ts';
import { ROUNDS } from '../../support/rounds.ts';

rememberPasswords();

const DEVICES = '/auth/oauth2/device-requests';
/** In the gate on SQLite alone: no statement of its own decides this. */
const HERE = ROUNDS === 1 ? DIAGONAL.slice(0, 1) : DIAGONAL;

/** Parameters of redirects, which their receivers need. */
const DELIVERED = ['code', 'state', 'request', 'posted'];
/** What a pending request or a code stores as it came. They are no credentials. */
const STORED = ['state', 'nonce', 'hint'];

describe.each(HERE)('leaked secrets, $engine over $transport', (kind) => {
  const canaries = createCanaries();
  const lines: string[] = [];
  const failures: string[] = [];
  const spans = recordSpans();
  const service = openedService({
    ...kind,
    settings: {
      'app.api.error-disclosure.mode': 'maximal',
      'app.security.m2m.rate-limit.store': 'none',
      'app.webhooks.allowed-networks': '127.0.0.1',
    },
    log: { write: (line: string) => void lines.push(line) },
    tracer: spans.tracer,
  });
  let parties: readonly ServiceParty[];
  let user: ServiceUser;
  let browser: Browser;

  beforeAll(async () => {
    witnessResponses(({ status, headers, text }) => {
      if (status < 300) return;
      const shown = [...headers].map(([name, value]) => {
        if (name === 'set-cookie') return name;
        return name === 'location' ? withoutDelivered(value) : `${name}: ${value}`;
      });
      failures.push(`${status} ${shown.join('\n')} ${text}`);
    });
    const resources = { resources: ['https://reports.example.com'] };
    parties = [
      await service.party(resources),
      await service.party({ key: newSigningKey(), ...resources }),
      await service.party({ type: 'SPA', ...resources }),
    ];
    for (const { client } of parties) if (client.secret !== undefined) canaries.keep('client secret', client.secret);
    user = await service.user();
    browser = await signedIn(service, user);
    keepSession();
  }, 60_000);
  afterAll(() => witnessResponses(undefined));

  function keepSession(): void {
    canaries.keep('session token', browser.accessToken!);
    for (const { value } of browser.cookies.values()) canaries.keep('cookie', value);
  }

  const signIn = async (party: ServiceParty, more = {}): Promise<Authorized> => {
    const authorized = await party.signIn(browser, user, more);
    keepSession();
    for (const name of ['code', 'state', 'nonce', 'verifier'] as const) canaries.keep(name, authorized[name]);
    return authorized;
  };
  const keepTokens = ({ accessToken, refreshToken, idToken }: Tokens): void => {
    canaries.keep('access token', accessToken);
    canaries.keep('refresh token', refreshToken);
    canaries.keep('hint', idToken);
  };
  const logIn = async (party: ServiceParty, more = {}): Promise<Tokens & Authorized> => {
    const authorized = await signIn(party, more);
    const tokens = await party.tokensOf(await party.redeem(authorized));
    keepTokens(tokens);
    return { ...authorized, ...tokens };
  };
  const endpoint = (name: string) => service.metadata[`${name}_endpoint`] as string;

  it('codes are redeemed, rightly and wrongly, and replayed', async () => {
    for (const party of parties) {
      const authorized = await signIn(party, { scope: 'openid offline_access' });
      for (const wrong of [
        { code_verifier: canaries.keep('verifier', random()) },
        { code_verifier: undefined },
        { redirect_uri: `https://app.example.com/${canaries.keep('URI', random())}` },
        { code: canaries.keep('code', random()) },
        { resource: 'https://other.example.com' },
        { client_secret: canaries.keep('client secret', random()) },
        { client_assertion: `e30.e30.${canaries.keep('assertion', random())}`, client_assertion_type: 'other' },
        { grant_type: 'password' },
      ])
        expect((await party.redeem(authorized, wrong)).status).toBeGreaterThanOrEqual(400);
      keepTokens(await party.tokensOf(await party.redeem(authorized)));
      expect((await party.redeem(authorized)).status).toBe(400);
      const form = { grant_type: 'authorization_code', code: authorized.code };
      expect((await party.token(form, null)).status).toBe(400);
    }
  });

  it('a client authenticates by an assertion, once', async () => {
    const party = parties[1]!;
    const assertion = canaries.keep('assertion', await party.assertion());
    const form = {
      grant_type: 'refresh_token',
      refresh_token: canaries.keep('refresh token', `${random()}.1.${random()}`),
      client_assertion: assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    };
    for (let times = 0; times < 2; times += 1) expect((await party.token(form, null)).status).toBeGreaterThan(399);
  });

  it('tokens are refreshed, replayed, introspected and revoked', async () => {
    for (const party of parties) {
      const first = await logIn(party);
      expect((await party.refresh(first.refreshToken, { scope: 'openid profile email roles' })).status).toBe(400);
      const renewed = await party.tokensOf(await party.refresh(first.refreshToken));
      keepTokens(renewed);
      const again = await party.tokensOf(await party.refresh(renewed.refreshToken));
      keepTokens(again);
      const introspection = endpoint('introspection');
      for (const token of [again.accessToken, again.refreshToken])
        await party.token({ token }, undefined, introspection);
      service.advance(31_000);
      await party.refresh(first.refreshToken);
      for (const token of [again.accessToken, again.refreshToken]) {
        await party.userinfo(token);
        await party.token({ token }, null, endpoint('revocation'));
        await party.token({ token }, undefined, endpoint('revocation'));
      }
      await party.userinfo(again.accessToken);
      await party.token({ access_token: [again.accessToken, again.idToken] }, null, endpoint('userinfo'));
      await service.send('GET', `${ISSUER}${API}/auth/me`, { headers: bearer(again.accessToken) });
      await service.send('GET', `${endpoint('userinfo')}?access_token=${again.accessToken}`);
    }
  });

  it('requests are refused, wait on the page, are pushed, and are continued', async () => {
    const party = parties[0]!;
    const { idToken, accessToken } = await logIn(party);
    for (const more of [
      { response_type: 'token' },
      { id_token_hint: idToken, prompt: 'none' },
      { id_token_hint: accessToken },
      { nonce: canaries.keep('nonce', random().repeat(40)) },
      { state: canaries.keep('state', random().repeat(120)) },
      { ...WITHOUT_PKCE },
      { redirect_uri: `https://evil.example.com/${canaries.keep('URI', random())}` },
      { request: `e30.e30.${canaries.keep('request', random())}` },
    ]) {
      const { request } = await party.authorize(browser, more);
      canaries.keep('state', request.state);
      canaries.keep('verifier', request.verifier);
    }
    const anonymous = openBrowser(service);
    const { request, ...outcome } = await party.authorize(anonymous, { login_hint: user.username });
    canaries.keep('verifier', request.verifier);
    if (outcome.kind !== 'page') throw new Error('no page');
    const id = canaries.keep('request id', requestIdOf(outcome.url));
    await anonymous.send('GET', outcome.url);
    await anonymous.send('GET', `${ISSUER}${API}${REQUESTS}/${id}`);
    await anonymous.send('POST', `${ISSUER}${API}${REQUESTS}/${id}`);
    const continued = await continueRequest(service, browser, outcome.url, 'ALLOW');
    canaries.keep('code', new URL(continued.body.redirectTo).searchParams.get('code')!);
    expect((await continueRequest(service, browser, outcome.url)).status).toBe(404);

    const pushed = party.request();
    const response = await party.token(
      Object.fromEntries(pushed.parameters),
      undefined,
      endpoint('pushed_authorization_request'),
    );
    canaries.keep('request_uri', response.body.request_uri.split(':').at(-1));
    const parameters = new URLSearchParams({ client_id: party.client.id, request_uri: response.body.request_uri });
    for (let times = 0; times < 2; times += 1) {
      const reached = await browser.visit(party.urlOf({ parameters }));
      if (reached.kind === 'callback') canaries.keep('code', authorizedBy(reached, pushed).code);
    }
    await party.token(
      { client_id: party.client.id, request_uri: response.body.request_uri },
      null,
      endpoint('pushed_authorization_request'),
    );
    await party.authorize(openBrowser(service), {}, 'POST');
  });

  it('applications log users out, and get logout tokens, or refuse them', async () => {
    const receiver = await startLogoutReceiver(() => 503);
    const uri = 'https://app.example.com/bye';
    const party = await service.party({ postLogoutRedirectUris: [uri], backchannelLogoutUri: receiver.url });
    canaries.keep('client secret', party.client.secret!);
    const own = await signedIn(service, user);
    const tokens = await party.logIn(own, user);
    keepTokens(tokens);
    canaries.keep('session token', own.accessToken!);
    for (const { value } of own.cookies.values()) canaries.keep('cookie', value);
    const state = canaries.keep('state', random());
    const endSession = (parameters: Readonly<Record<string, string>>) =>
      own.send('GET', `${endpoint('end_session')}?${new URLSearchParams({ state, ...parameters }).toString()}`);
    const asked = await endSession({ client_id: party.client.id, post_logout_redirect_uri: uri });
    const id = canaries.keep('request id', requestIdOf(asked.headers.get('location')!));
    expect((await own.send('POST', `${ISSUER}${API}/auth/oauth2/logout-requests/${id}`)).status).toBe(403);
    const hint = { id_token_hint: tokens.idToken };
    expect((await endSession({ ...hint, post_logout_redirect_uri: `${uri}/other` })).status).toBe(400);
    expect((await endSession({ id_token_hint: tokens.accessToken })).status).toBe(400);
    expect((await endSession({ ...hint, post_logout_redirect_uri: uri })).status).toBe(303);
    const [logout] = await eventually(() => {
      expect(receiver.received).toHaveLength(1);
      return receiver.received;
    });
    canaries.keep('logout token', logout!.token);
    await receiver.close();
  });

  it('devices ask, are decided, and poll, rightly and wrongly', async () => {
    const party = await service.party({ deviceGrant: true });
    canaries.keep('client secret', party.client.secret!);
    const caller = callerOf(service, browser);
    const poll = (code: string) =>
      party.token({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: code });
    for (const decision of ['ALLOW', 'DENY']) {
      const { body } = await party.token({ scope: 'openid' }, undefined, endpoint('device_authorization'));
      const code = canaries.keep('device code', body.device_code);
      const { user_code: userCode } = body;
      // The code alone is short enough to be found by chance.
      for (const text of [`user_code=${userCode}`, `"userCode":"${userCode}"`]) canaries.keep('user code', text);
      await service.send('GET', body.verification_uri_complete);
      for (const response of [await poll(code), await poll(code), await poll(canaries.keep('device code', random()))])
        expect(response.status).toBe(400);
      expect((await caller.post(DEVICES, { userCode })).status).toBe(200);
      expect((await caller.post(`${DEVICES}/decision`, { userCode, decision })).status).toBe(204);
      expect((await caller.post(DEVICES, { userCode })).status).toBe(404);
      const response = await poll(code);
      expect(response.status).toBe(decision === 'ALLOW' ? 200 : 400);
      if (response.status === 200) keepTokens(await party.tokensOf(response));
      expect((await poll(code)).status).toBe(400);
    }
  });

  it('all of them while tables are missing', async () => {
    const { database } = service.deployment;
    for (const table of [
      'authorization_requests',
      'authorization_codes',
      'grants',
      'consents',
      'applications',
      'application_secrets',
      'client_assertions',
      'audit_records',
    ]) {
      const party = parties[table === 'client_assertions' ? 1 : 0]!;
      const tokens = await logIn(party);
      const authorized = await signIn(party);
      await database.execute(`ALTER TABLE ${table} RENAME TO gone`);
      const { request, ...outcome } = await party.authorize(browser);
      for (const name of ['state', 'verifier'] as const) canaries.keep(name, request[name]);
      if (outcome.kind === 'callback' && outcome.parameters.has('code'))
        canaries.keep('code', outcome.parameters.get('code')!);
      const push = Object.fromEntries(party.request().parameters);
      const responses = [
        ...(outcome.kind === 'error-page' ? [outcome.response] : []),
        await party.redeem(authorized),
        await party.refresh(tokens.refreshToken),
        await party.userinfo(tokens.accessToken),
        await party.token({ token: tokens.accessToken }, undefined, endpoint('introspection')),
        await party.token({ token: tokens.refreshToken }, undefined, endpoint('revocation')),
        await party.token(push, undefined, endpoint('pushed_authorization_request')),
      ];
      for (const { body } of responses) {
        const { access_token: access, refresh_token: refresh } = body ?? {};
        if (access !== undefined) canaries.keep('access token', access);
        if (refresh !== undefined) canaries.keep('refresh token', refresh);
      }
      await database.execute(`ALTER TABLE gone RENAME TO ${table}`);
      expect([table, responses.some(({ status }) => status >= 500)]).toEqual([table, true]);
    }
  });

  describe('no secret appears', () => {
    const NOTHING = { found: [] };
    const found = (trace: Buffer | string) => ({ found: [...new Set(canaries.foundIn(trace))] });

    it('in the log', () => {
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.join('')).toContain('ExchangeToken');
      expect(found(lines.join(''))).toEqual(NOTHING);
    });

    it('in error bodies, headers and redirects', () => {
      expect(failures.length).toBeGreaterThan(100);
      // Problem documents show a caller the path of its own request.
      const shown = failures.join('\n').replaceAll(/"instance":"[^"]*"/g, '');
      expect(found(shown)).toEqual(NOTHING);
    });

    it('in traces', () => {
      const all = spans.all().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
      expect(all.length).toBeGreaterThan(100);
      expect(found(JSON.stringify(all))).toEqual(NOTHING);
    });

    it('in metrics', async () => {
      expect(canaries.size).toBeGreaterThan(100);
      const { core } = service.deployment;
      const metrics = (await service.deployment.metrics()) + JSON.stringify(core.metrics.map((one) => one.read()));
      expect(metrics).toContain('/authservice.oauth.v1.AuthorizationService/ExchangeToken');
      expect(found(metrics)).toEqual(NOTHING);
    });

    it('in audit records', async () => {
      await service.deployment.core.flush();
      const records = JSON.stringify(
        await service.deployment.database.query('SELECT event, details FROM audit_records'),
      );
      for (const event of ['grant.created', 'code.replayed', 'grant.replayed', 'consent.given', 'grant.revoked'])
        expect(records).toContain(event);
      expect(found(records)).toEqual(NOTHING);
    });

    // Searches megabytes for thousands of texts.
    it('in the database, but for what requests store as it came', { timeout: 240_000 }, async () => {
      const { database, databaseUrl } = service.deployment;
      const names = found(await databaseBytes(database, databaseUrl)).found;
      expect(names.filter((name) => !STORED.includes(name.split(' ')[0]!))).toEqual([]);
    });
  });
});

/** A redirect without what its receiver needs. */
function withoutDelivered(location: string): string {
  const { searchParams } = new URL(location, ISSUER);
  return [...searchParams]
    .filter(([name]) => !DELIVERED.includes(name))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
