// Passkeys over a made-up browser, with its own JSON methods and without.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPasskey, getPasskey, hasPasskeys } from '../../src/factors.ts';

const BYTES = Uint8Array.from([251, 255, 191, 0]);
const TEXT = '-_-_AA';
const EXTENSIONS = { credProps: { rk: true } };
const MEMBERS = { id: TEXT, type: 'public-key' };

const asserted = {
  ...MEMBERS,
  rawId: BYTES.buffer,
  response: {
    clientDataJSON: BYTES.buffer,
    authenticatorData: BYTES.buffer,
    signature: BYTES.buffer,
    userHandle: null,
  },
  getClientExtensionResults: () => EXTENSIONS,
};
const created = {
  ...asserted,
  response: { clientDataJSON: BYTES.buffer, attestationObject: BYTES.buffer, getTransports: () => ['internal'] },
};

/** Replaces the parts of the browser. Returns the options that it received. */
function stubBrowser(credential: unknown, conversions: object = {}) {
  const received: CredentialRequestOptions[] = [];
  const answer = async (options: CredentialRequestOptions) => {
    received.push(options);
    return credential;
  };
  vi.stubGlobal(
    'PublicKeyCredential',
    Object.assign(() => undefined, conversions),
  );
  vi.stubGlobal('navigator', { credentials: { get: answer, create: answer } });
  return received;
}

afterEach(() => vi.unstubAllGlobals());

describe('without the JSON methods of the browser', () => {
  it('a passkey is asked for', async () => {
    const received = stubBrowser(asserted);
    const { signal } = new AbortController();
    const descriptor = { id: TEXT, type: 'public-key', transports: ['internal'] };
    const options = { challenge: TEXT, rpId: 'a.test', allowCredentials: [descriptor] };
    const passkey = await getPasskey(options, { signal, mediation: 'conditional' });
    const publicKey = { challenge: BYTES, rpId: 'a.test', allowCredentials: [{ ...descriptor, id: BYTES }] };
    expect(received).toEqual([{ signal, mediation: 'conditional', publicKey }]);
    expect(passkey).toEqual({
      ...MEMBERS,
      rawId: TEXT,
      response: { clientDataJSON: TEXT, authenticatorData: TEXT, signature: TEXT },
      clientExtensionResults: EXTENSIONS,
    });
  });

  it('a passkey is created', async () => {
    const received = stubBrowser(created);
    const others = { rp: { id: 'a.test', name: 'A' }, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] };
    const user = { id: TEXT, name: 'a', displayName: 'A' };
    const passkey = await createPasskey({
      ...others,
      challenge: TEXT,
      user,
      excludeCredentials: [{ id: TEXT, type: 'public-key' }],
    });
    const publicKey = {
      ...others,
      challenge: BYTES,
      user: { ...user, id: BYTES },
      excludeCredentials: [{ id: BYTES, type: 'public-key' }],
    };
    expect(received).toEqual([{ publicKey }]);
    expect(passkey['response']).toEqual({ clientDataJSON: TEXT, attestationObject: TEXT, transports: ['internal'] });
  });
});

it('the JSON methods of the browser are used if it has them', async () => {
  const conversions = {
    parseRequestOptionsFromJSON: (options: object) => ({ parsed: options }),
    parseCreationOptionsFromJSON: (options: object) => ({ parsed: options }),
  };
  const received = stubBrowser({ toJSON: () => ({ id: 'p' }) }, conversions);
  expect([await getPasskey({ a: 1 }), await createPasskey({ a: 2 })]).toEqual([{ id: 'p' }, { id: 'p' }]);
  expect(received).toEqual([{ publicKey: { parsed: { a: 1 } } }, { publicKey: { parsed: { a: 2 } } }]);
});

it('a browser that returns nothing rejects', async () => {
  stubBrowser(null);
  await expect(getPasskey({ challenge: TEXT })).rejects.toThrow('The browser returned no passkey');
});

it('a browser without passkeys has none', () => {
  expect(hasPasskeys()).toBe(false);
  stubBrowser(null);
  expect(hasPasskeys()).toBe(true);
});
