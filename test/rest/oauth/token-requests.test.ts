// The form of token requests, and what each grant type needs. In both disclosure modes.
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { formOf } from '../../support/oauth/browser.ts';
import { basic, expectTokenError, random, toForm, type Parameters } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { openedService, signedIn, type ServiceParty, type ServiceUser } from '../../support/oauth/service.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';
import { formError } from '../m2m/oauth-errors.ts';

rememberPasswords();

const MODES = ['maximal', 'minimal'] as const;
const CASES = MODES.map((mode, index) => ({ mode, ...DIAGONAL[index % DIAGONAL.length]! }));

describe.each(CASES)('token requests, $mode disclosure, $engine over $transport', ({ mode, ...kind }) => {
  const service = openedService({ ...kind, settings: { 'app.api.error-disclosure.mode': mode } });
  let party: ServiceParty;
  let other: ServiceParty;
  let spa: ServiceParty;
  let user: ServiceUser;
  let browser: Browser;
  beforeAll(async () => {
    party = await service.party({ firstParty: true });
    other = await service.party({ firstParty: true });
    spa = await service.party({ firstParty: true, type: 'SPA' });
    user = await service.user();
    browser = await signedIn(service, user);
  });

  const code = (more: Parameters = {}, by = party) => by.signIn(browser, user, more);
  const post = (form: Parameters, headers: Record<string, string> = {}): Promise<RestResponse> => {
    const { headers: own, ...sent } = formOf(toForm(form));
    const url = service.metadata['token_endpoint'] as string;
    return service.send('POST', url, { ...sent, headers: { ...own, ...headers } });
  };
  const expectRefusal = (response: RestResponse, status: number, error: string) =>
    expect(response).toEqual(formError(status, error, mode === 'minimal' ? error : expect.any(String)));

  describe('invalid_request', () => {
    const grant = { grant_type: 'refresh_token', refresh_token: 'x' };
    it.each<[what: string, form: () => Parameters, header?: () => string]>([
      ['no grant type', () => ({ client_id: spa.client.id })],
      ['no client', () => grant],
      ['a doubled parameter', () => ({ ...grant, client_id: spa.client.id, scope: ['openid', 'openid'] })],
      [
        'Basic and a secret',
        () => ({ ...grant, client_secret: party.client.secret }),
        () => basic(party.client.id, party.client.secret!),
      ],
      [
        'Basic and another client id',
        () => ({ ...grant, client_id: other.client.id }),
        () => basic(party.client.id, party.client.secret!),
      ],
      ['no code', () => ({ grant_type: 'authorization_code', client_id: spa.client.id })],
      ['no refresh token', () => ({ grant_type: 'refresh_token', client_id: spa.client.id })],
    ])('%s', async (_, form, header) => {
      expectRefusal(await post(form(), header ? { authorization: header() } : {}), 400, 'invalid_request');
    });

    it('a body that is not a form', async () => {
      const url = service.metadata['token_endpoint'] as string;
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
        const response = await service.send('POST', url, { headers: { 'content-type': type }, body: '{}' });
        expect([400, 415]).toContain(response.status);
      }
      expect((await service.send('GET', url)).status).toBe(405);
    });

    it('parameters in the query are ignored', async () => {
      const { code: sent, verifier, parameters } = await code({}, spa);
      const query = toForm({
        grant_type: 'authorization_code',
        code: sent,
        code_verifier: verifier,
        client_id: spa.client.id,
        redirect_uri: parameters.get('redirect_uri')!,
      });
      const url = `${service.metadata['token_endpoint']}?${query.toString()}`;
      expect((await service.send('POST', url, formOf(''))).status).toBe(400);
    });
  });

  describe('grant types', () => {
    it('client_credentials by an application is unauthorized_client', async () => {
      expectRefusal(await party.token({ grant_type: 'client_credentials' }), 400, 'unauthorized_client');
      expectRefusal(await spa.token({ grant_type: 'client_credentials' }), 400, 'unauthorized_client');
    });

    it('other grants by a service account are unauthorized_client', async () => {
      const machine = await seedClient(service.deployment.database);
      const own = { client_id: machine.id, client_secret: machine.secret };
      const form = { ...own, grant_type: 'refresh_token', refresh_token: random() };
      expectRefusal(await post(form), 400, 'unauthorized_client');
      const { code: sent } = await code();
      expectRefusal(await post({ ...own, grant_type: 'authorization_code', code: sent }), 400, 'unauthorized_client');
    });

    it('client_credentials of a service account are answered as by /auth/token', async () => {
      const machine = await seedClient(service.deployment.database);
      const path = new URL(service.metadata['token_endpoint']).pathname;
      const [there, here] = [
        await tokenClient(service.deployment.url).byForm(machine),
        await tokenClient(service.deployment.url, path).byForm(machine),
      ];
      expect([here.status, Object.keys(here.body)]).toEqual([there.status, Object.keys(there.body)]);
      expect(here.body).not.toHaveProperty('refresh_token');
      const wrong = { ...machine, secret: 'x' };
      const refused = await tokenClient(service.deployment.url, path).byBasic(wrong);
      const before = await tokenClient(service.deployment.url).byBasic(wrong);
      expect([refused.status, refused.body.error]).toEqual([before.status, before.body.error]);
      expect(refused.headers.get('www-authenticate')).toBe(before.headers.get('www-authenticate'));
      if (mode === 'minimal') expect(refused.text).toBe(before.text);
      expectTokenError(refused, 'invalid_client', 401);
    });

    it('unknown ones are unsupported_grant_type', async () => {
      for (const grantType of ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:jwt-bearer', 'x'])
        expectRefusal(await party.token({ grant_type: grantType }), 400, 'unsupported_grant_type');
    });
  });
});
