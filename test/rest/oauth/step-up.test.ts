// Step-up for applications, from the request to the claims: what asks for it, by an authenticator app and by a passkey.
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedPasskeyOwner } from '../../support/factor-users.ts';
import { seedTotp } from '../../support/factors.ts';
import { openBrowser } from '../../support/oauth/browser.ts';
import { authorizedBy, expectError, type Parameters } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import {
  callerOf,
  continueRequest,
  ISSUER,
  openedService,
  type Service,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { seedSession } from '../../support/sessions.ts';

rememberPasswords();

/** The time since the login by the password. */
const AGE_MS = 60_000;

/** A browser with an old session by the password alone, and the body that confirms it by the factor of its account. */
interface Person {
  readonly browser: Browser;
  proof(): Promise<object>;
}

const FACTORS: Readonly<
  Record<string, (service: Service) => Promise<Pick<Person, 'proof'> & Pick<ServiceUser, 'account'>>>
> = {
  async totp({ deployment }) {
    const { account, code } = await seedTotp(deployment);
    return { account, proof: async () => ({ totp: code() }) };
  },
  async passkey({ deployment }) {
    const { account, authenticator } = await seedPasskeyOwner(deployment, ISSUER);
    return { account, proof: async () => ({ authenticator }) };
  },
};

const CLAIMS: Readonly<Record<string, { readonly acr: string; readonly amr: readonly string[] }>> = {
  totp: { acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] },
  passkey: { acr: 'phr', amr: ['mfa'] },
};

const ASKS: readonly [what: string, parameters: Parameters, factors: readonly string[]][] = [
  ['acr_values=mfa', { acr_values: 'mfa' }, ['totp', 'passkey']],
  ['acr_values=phr', { acr_values: 'phr' }, ['passkey']],
  ['max_age', { max_age: String(AGE_MS / 2_000) }, ['totp', 'passkey']],
  ['max_age=0', { max_age: '0' }, ['totp', 'passkey']],
  ['prompt=login', { prompt: 'login' }, ['totp', 'passkey']],
];
const CASES = ASKS.flatMap(([what, parameters, factors]) =>
  factors.map((factor) => [what, factor, parameters] as const),
);

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const service = openedService(kind);
  let party: ServiceParty;
  beforeAll(async () => (party = await service.party({ firstParty: true })));

  async function openPerson(factor: string) {
    const { account, proof } = await FACTORS[factor]!(service);
    const browser = openBrowser(service);
    const session = await seedSession(service.deployment, account, AGE_MS);
    browser.accessToken = session.accessToken;
    const [name = '', value = ''] = session.cookie.split('=');
    browser.cookies.set(name, { value, path: '/api/v1/auth' });
    const { id: sub, username, name: displayName } = account;
    browser.user = { account, sub, username, name: displayName, email: '' } as ServiceUser;
    return { browser, proof };
  }

  /** Confirms the session as the page does. */
  async function confirm(browser: Browser, proof: () => Promise<object>) {
    const caller = callerOf(service, browser);
    const given = (await proof()) as { readonly authenticator?: { get(options: unknown): object } };
    const { authenticator } = given;
    const body = authenticator
      ? { passkey: authenticator.get((await caller.post('/account/confirm/passkey-options')).body.options) }
      : given;
    const confirmed = await caller.post('/account/confirm', body);
    expect(confirmed.status).toBe(200);
    browser.accessToken = confirmed.body.accessToken;
  }

  it.each(CASES)('%s is met by a %s, and the claims tell it', async (_, factor, parameters) => {
    const { browser, proof } = await openPerson(factor);
    const { request, ...asked } = await party.authorize(browser, parameters);
    if (asked.kind !== 'page') throw new Error('not a page');
    expect((await continueRequest(service, browser, asked.url)).body).toEqual({
      confirmationRequired: { methods: [factor] },
    });
    const before = service.now();
    await confirm(browser, proof);
    const { redirectTo } = (await continueRequest(service, browser, asked.url)).body;
    const callback = new URL(redirectTo).searchParams;
    const authorized = authorizedBy({ kind: 'callback', location: redirectTo, parameters: callback } as never, request);
    const { claims, refreshToken } = await party.tokensOf(await party.redeem(authorized), request.nonce);
    const { acr, amr } = CLAIMS[factor]!;
    expect(claims).toMatchObject({ acr, amr: expect.arrayContaining([...amr]) });
    expect(claims['auth_time']).toBeGreaterThanOrEqual(before);
    // A refresh tells the same.
    const refreshed = (await party.tokensOf(await party.refresh(refreshToken))).claims;
    expect(refreshed).toMatchObject({ acr, amr: claims['amr'], auth_time: claims['auth_time'] });
  });

  it.each(CASES.filter(([what]) => what !== 'prompt=login'))(
    '%s with prompt=none says what a session without the %s lacks',
    async (what, factor, parameters) => {
      const { browser } = await openPerson(factor);
      const { request, ...outcome } = await party.authorize(browser, { ...parameters, prompt: 'none' });
      const error = what.startsWith('acr_values') ? 'interaction_required' : 'login_required';
      expectError(outcome, error, request.state);
    },
  );
});
