// The ceremonies of WebAuthn with a software authenticator: algorithms, flags, origins, counters and forgeries.
import { describe, expect, it } from 'vitest';
import { createPasskeyChallenges, type PasskeyContext } from '../../src/auth/factors/passkeys/passkey-challenges.ts';
import { InvalidPasskeyError } from '../../src/auth/factors/passkeys/webauthn-responses.ts';
import { createWebauthn, type CreatedPasskey } from '../../src/auth/factors/passkeys/webauthn.ts';
import { createAuthenticator, type Authenticator, type Ceremony } from '../support/authenticator.ts';

const ORIGIN = 'https://auth.shop.test';
const LISTED = 'https://pages.shop.test';
const USER = { handle: Buffer.alloc(16, 7), username: 'ann@shop.test', name: 'Ann' };
const REGISTRATION: PasskeyContext = { purpose: 'registration', boundTo: 'session-1' };
const LOGIN: PasskeyContext = { purpose: 'login', boundTo: ORIGIN };
const VERIFIED = { requireUserVerification: true };

const NOW = Date.UTC(2026, 0, 1);
const challenges = createPasskeyChallenges({ macKey: Buffer.alloc(32, 1), clock: () => NOW });
const relyingParty = (rpId: string) =>
  createWebauthn({
    rpId,
    rpName: 'Shop',
    isAllowedOrigin: (origin) => [ORIGIN, LISTED].includes(origin),
    challenges,
  });
const webauthn = relyingParty('shop.test');

async function register(authenticator: Authenticator, ceremony: Parameters<Authenticator['create']>[1] = {}) {
  const options: unknown = JSON.parse(await webauthn.creationOptions(REGISTRATION, USER, []));
  return webauthn.readCreation(JSON.stringify(authenticator.create(options, ceremony)), REGISTRATION).verify();
}

async function prove(authenticator: Authenticator, passkey: CreatedPasskey, ceremony: Ceremony = {}, rules = VERIFIED) {
  const options: unknown = JSON.parse((await webauthn.requestOptions(LOGIN, 'required')).options);
  return webauthn.readAssertion(JSON.stringify(authenticator.get(options, ceremony)), LOGIN).verify(passkey, rules);
}

describe('a passkey', () => {
  it.each(['ES256', 'RS256', 'EdDSA'] as const)('of %s is created and proven', async (algorithm) => {
    const authenticator = createAuthenticator({ origin: ORIGIN, algorithm });
    const passkey = await register(authenticator);
    expect(Buffer.from(passkey.credentialId).toString('base64url')).toBe(authenticator.id);
    expect(passkey).toMatchObject({ counter: 1, rpId: 'shop.test', transports: ['internal'], userVerified: true });
    expect(await prove(authenticator, passkey)).toEqual({
      counter: 2,
      backupEligible: false,
      backedUp: false,
      userVerified: true,
    });
  });

  it.each([
    [{ backupEligible: false }, {}, { backupEligible: false, backedUp: false }],
    [{ backupEligible: true }, {}, { backupEligible: true, backedUp: true }],
    [{ backupEligible: true }, { backedUp: false }, { backupEligible: true, backedUp: false }],
  ])('with %j and %j reads the flags %j', async (options, ceremony, flags) => {
    const authenticator = createAuthenticator({ origin: ORIGIN, ...options });
    const passkey = await register(authenticator, ceremony);
    expect(passkey).toMatchObject(flags);
    expect(await prove(authenticator, passkey, ceremony)).toMatchObject(flags);
  });

  it('that is backed up without being eligible is proven by its signature', async () => {
    const authenticator = createAuthenticator({ origin: ORIGIN });
    const passkey = await register(authenticator);
    const flags = { backupEligible: false, backedUp: true };
    expect(await prove(authenticator, passkey, flags)).toMatchObject(flags);
    for (const bad of [{ isForged: true }, { origin: 'https://evil.test' }, { userVerified: false }])
      await expect(prove(authenticator, passkey, { ...flags, ...bad })).rejects.toThrow(InvalidPasskeyError);
  });

  it('of an authenticator that does not count keeps 0', async () => {
    const authenticator = createAuthenticator({ origin: ORIGIN, counter: 'zero' });
    const passkey = await register(authenticator);
    expect(passkey.counter).toBe(0);
    expect((await prove(authenticator, passkey)).counter).toBe(0);
  });

  it('without user verification is accepted only if it is not required', async () => {
    const authenticator = createAuthenticator({ origin: ORIGIN });
    const passkey = await register(authenticator, { userVerified: false });
    const unverified = { userVerified: false };
    expect(await prove(authenticator, passkey, unverified, { requireUserVerification: false })).toMatchObject(
      unverified,
    );
    await expect(prove(authenticator, passkey, unverified)).rejects.toThrow(InvalidPasskeyError);
  });

  it('works on a listed origin', async () => {
    const authenticator = createAuthenticator({ origin: LISTED });
    expect(await prove(authenticator, await register(authenticator))).toMatchObject({ counter: 2 });
  });

  it('keeps the relying party id that it was created with', async () => {
    const authenticator = createAuthenticator({ origin: ORIGIN });
    const passkey = await register(authenticator);
    const later = relyingParty('auth.shop.test');
    const options = JSON.parse((await later.requestOptions(LOGIN, 'preferred', [passkey])).options) as { rpId: string };
    expect(options.rpId).toBe('shop.test');
    const response = JSON.stringify(authenticator.get(options));
    expect(await later.readAssertion(response, LOGIN).verify(passkey, VERIFIED)).toMatchObject({ counter: 2 });
  });
});

const BAD: readonly (readonly [name: string, ceremony: Ceremony])[] = [
  ['another origin', { origin: 'https://evil.test' }],
  ['an origin that begins like the own one', { origin: `${ORIGIN}.evil.test` }],
  ['a page in a frame of another site', { crossOrigin: true }],
  ['another type', { type: 'payment.get' }],
  ['another relying party id', { rpId: 'evil.test' }],
  ['an absent user', { userPresent: false }],
];

describe('a registration', () => {
  it.each([
    ...BAD,
    ['the response of a login', { type: 'webauthn.get' }],
    ['attestation by certificates', { attestation: { fmt: 'packed', attStmt: new Map([['x5c', [Buffer.alloc(9)]]]) } }],
    ['attestation of Android', { attestation: { fmt: 'android-key', attStmt: new Map([['x5c', [Buffer.alloc(9)]]]) } }],
    ['a statement beside none', { attestation: { fmt: 'none', attStmt: new Map([['sig', Buffer.alloc(9)]]) } }],
    [
      'a wrong attestation by itself',
      {
        attestation: {
          fmt: 'packed',
          attStmt: new Map<string, unknown>([
            ['alg', -7],
            ['sig', Buffer.alloc(70)],
          ]),
        },
      },
    ],
  ] as const)('with %s is rejected', async (_name, ceremony) => {
    await expect(register(createAuthenticator({ origin: ORIGIN }), ceremony)).rejects.toThrow(InvalidPasskeyError);
  });

  it('asks for a resident key, no attestation, and none of the existing passkeys', async () => {
    const authenticator = createAuthenticator({ origin: ORIGIN });
    const existing = [await register(authenticator)];
    const options = JSON.parse(await webauthn.creationOptions(REGISTRATION, USER, existing)) as object;
    expect(options).toMatchObject({
      rp: { id: 'shop.test', name: 'Shop' },
      user: { id: USER.handle.toString('base64url'), name: 'ann@shop.test', displayName: 'Ann' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      excludeCredentials: [{ id: authenticator.id, type: 'public-key', transports: ['internal'] }],
      timeout: 300_000,
    });
    expect(() => authenticator.create(options)).toThrow('InvalidStateError');
  });
});

describe('a login', () => {
  it.each([
    ...BAD,
    ['the response of a registration', { type: 'webauthn.create' }],
    ['a changed counter', { isForged: true }],
  ] as const)('with %s is rejected', async (_name, ceremony) => {
    const authenticator = createAuthenticator({ origin: ORIGIN });
    const passkey = await register(authenticator);
    await expect(prove(authenticator, passkey, ceremony)).rejects.toThrow(InvalidPasskeyError);
  });

  it('with the key of another passkey is rejected', async () => {
    const other = await register(createAuthenticator({ origin: ORIGIN }));
    await expect(prove(createAuthenticator({ origin: ORIGIN }), other)).rejects.toThrow(InvalidPasskeyError);
  });

  it('reads the challenge of its own context only', async () => {
    const authenticator = createAuthenticator({ origin: ORIGIN });
    await register(authenticator);
    const response = JSON.stringify(
      authenticator.get(JSON.parse((await webauthn.requestOptions(LOGIN, 'required')).options)),
    );
    expect(webauthn.readAssertion(response, LOGIN).challenge).toBeDefined();
    expect(webauthn.readAssertion(response, { ...LOGIN, boundTo: LISTED }).challenge).toBeUndefined();
    expect(webauthn.readAssertion(response, { ...LOGIN, purpose: 'confirmation' }).challenge).toBeUndefined();
  });
});

const MEMBERS = {
  create: ['id', 'rawId', 'type', 'clientDataJSON', 'attestationObject'],
  get: ['id', 'rawId', 'type', 'clientDataJSON', 'authenticatorData', 'signature', 'userHandle'],
};

describe('a member of a response', () => {
  // An object with a length is not copied as a list.
  const wrong = [{ length: 200_000_000 }, [], ['YQ'], 200_000_000, true, null];
  const changed = (response: object, member: string, value: unknown) =>
    JSON.stringify(response, (name, present: unknown) => (name === member ? value : present));

  it.each(MEMBERS.create)('%s of a registration is a text', async (member) => {
    const options: unknown = JSON.parse(await webauthn.creationOptions(REGISTRATION, USER, []));
    const response = createAuthenticator({ origin: ORIGIN }).create(options);
    for (const value of wrong)
      expect(() => webauthn.readCreation(changed(response, member, value), REGISTRATION)).toThrow(InvalidPasskeyError);
  });

  it.each(MEMBERS.get)('%s of a login is a text', async (member) => {
    const options: unknown = JSON.parse((await webauthn.requestOptions(LOGIN, 'required')).options);
    const authenticator = createAuthenticator({ origin: ORIGIN });
    await register(authenticator);
    const response = authenticator.get(options);
    for (const value of wrong.filter((one) => one !== null || member !== 'userHandle'))
      expect(() => webauthn.readAssertion(changed(response, member, value), LOGIN)).toThrow(InvalidPasskeyError);
  });

  it('userHandle may be null: authenticators can leave it out', async () => {
    const authenticator = createAuthenticator({ origin: ORIGIN });
    const passkey = await register(authenticator);
    const options: unknown = JSON.parse((await webauthn.requestOptions(LOGIN, 'required')).options);
    const text = changed(authenticator.get(options), 'userHandle', null);
    const assertion = webauthn.readAssertion(text, LOGIN);
    expect(assertion.userHandle).toBeUndefined();
    expect(await assertion.verify(passkey, VERIFIED)).toMatchObject({ counter: 2 });
  });
});

describe('a malformed response', () => {
  const data = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const client = data({ type: 'webauthn.get', challenge: 'a', origin: ORIGIN });
  it.each<readonly [unknown]>([
    [{}],
    [{ id: 'YQ' }],
    [{ id: 'YQ', response: null }],
    [{ id: 'YQ', response: 5 }],
    [{ id: 'YQ', response: { clientDataJSON: 5 } }],
    [{ id: 'YQ', response: { clientDataJSON: '{}' } }],
    [{ id: 'YQ', response: { clientDataJSON: data(null) } }],
    [{ id: 'YQ', response: { clientDataJSON: data('text') } }],
    [{ id: 'YQ', response: { clientDataJSON: data({ challenge: 1, origin: ORIGIN }) } }],
    [{ id: 5, response: { clientDataJSON: client } }],
    [{ id: 'a b', response: { clientDataJSON: client } }],
    [{ id: 'YQ', rawId: 'YQ', type: 'public-key', response: { clientDataJSON: client } }],
    [{ id: 'YQ', rawId: 'YQ', type: 'public-key', response: { clientDataJSON: client, attestationObject: 5 } }],
    [{ id: 'YQ', rawId: 'YQ', type: 'public-key', response: { clientDataJSON: client, attestationObject: 'YQ' } }],
    [
      {
        id: 'YQ',
        rawId: 'YQ',
        type: 'public-key',
        response: { clientDataJSON: client, authenticatorData: 'YQ', signature: 'YQ' },
      },
    ],
  ])('%j is rejected', async (response) => {
    const text = JSON.stringify(response);
    const passkey = await register(createAuthenticator({ origin: ORIGIN }));
    await expect(async () => webauthn.readAssertion(text, LOGIN).verify(passkey, VERIFIED)).rejects.toThrow(
      InvalidPasskeyError,
    );
    await expect(async () => webauthn.readCreation(text, REGISTRATION).verify()).rejects.toThrow(InvalidPasskeyError);
  });
});
