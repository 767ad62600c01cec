// The requirements of an access rule for a call, at its begin and again before it commits.
import { describe, expect, it, vi } from 'vitest';
import { Credential, Permission, Rule } from '../../../proto/gen/authservice/access/v1/access.ts';
import { ServiceError } from '../../../src/platform/errors.ts';
import type { Statements } from '../../../src/platform/db/types.ts';
import type { Principal } from '../../../src/auth/access/principal.ts';
import {
  admit,
  assertTrustedGateway,
  readmit,
  type Credentials,
} from '../../../src/platform/rpc/pipeline/admission.ts';
import type { Call } from '../../../src/platform/rpc/types.ts';
import { createMessage } from '../../../src/platform/rpc/message.ts';

const NONE: Credentials = { authorization: [], apiKey: [] };
const BEARER: Credentials = { authorization: ['Bearer x'], apiKey: [] };
const API_KEY: Credentials = { authorization: [], apiKey: ['x'] };
const CALL = { path: '/x' } as Call;

const OPTIONAL = createMessage(Rule, { credential: Credential.CREDENTIAL_OPTIONAL });
const REQUIRED = createMessage(Rule, { credential: Credential.CREDENTIAL_REQUIRED });
const FILES = createMessage(Rule, { ...REQUIRED, permission: Permission.PERMISSION_USE_FILES });
const NO_API_KEY = createMessage(Rule, { ...REQUIRED, refusesApiKeys: true });

const OWN = createMessage(Rule, { ...REQUIRED, ownPermission: 'invoices:read' });
const FILES_OR_SERVER = createMessage(Rule, { ...FILES, orResourceServer: true });

const principal = (
  changes: {
    permissions?: Permission[];
    apiKeyHash?: string;
    tenantId?: string;
    resourceServer?: boolean;
    isApplication?: boolean | undefined;
  } = {},
): Principal =>
  ({
    account: {
      id: 'ann',
      tenantId: 'tenantId' in changes ? changes.tenantId : 'acme',
      resourceServer: changes.resourceServer ?? false,
    },
    permissions: new Set(changes.permissions),
    apiKeyHash: changes.apiKeyHash,
    isApplication: changes.isApplication,
  }) as unknown as Principal;

const LACKS_FILES = { reason: 'PERMISSION_DENIED', message: 'The account lacks PERMISSION_USE_FILES' };
const NO_KEYS_HERE = {
  reason: 'PERMISSION_DENIED',
  message: 'An API key issues no credentials and raises no rights',
};

describe('admit', () => {
  it.each([BEARER, API_KEY])('authenticates the credentials of the call: %j', async (credentials) => {
    const ann = principal();
    const authenticate = vi.fn(async () => ann);
    for (const rule of [OPTIONAL, REQUIRED]) expect(await admit(rule, credentials, CALL, authenticate)).toBe(ann);
    expect(authenticate.mock.calls).toEqual([
      [credentials, CALL],
      [credentials, CALL],
    ]);
  });

  it('does not authenticate a call without credentials if they are optional', async () => {
    const authenticate = vi.fn(async () => principal());
    expect(await admit(OPTIONAL, NONE, CALL, authenticate)).toBeUndefined();
    expect(authenticate).not.toHaveBeenCalled();
  });

  it('throws TOKEN_MISSING if no credential is understood and one is required', async () => {
    const authenticate = async () => undefined;
    await expect(admit(REQUIRED, NONE, CALL, authenticate)).rejects.toMatchObject({ reason: 'TOKEN_MISSING' });
    await expect(admit(FILES, BEARER, CALL, authenticate)).rejects.toMatchObject({ reason: 'TOKEN_MISSING' });
    expect(await admit(OPTIONAL, BEARER, CALL, authenticate)).toBeUndefined();
  });

  it('throws the error of authentication, even if credentials are optional', async () => {
    const authenticate = () => Promise.reject(new ServiceError('TOKEN_INVALID'));
    for (const rule of [OPTIONAL, REQUIRED])
      await expect(admit(rule, BEARER, CALL, authenticate)).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
  });

  it('throws PERMISSION_DENIED if the account lacks the permission', async () => {
    const by = (permissions: Permission[]) => admit(FILES, BEARER, CALL, async () => principal({ permissions }));
    await expect(by([])).rejects.toMatchObject(LACKS_FILES);
    await expect(by([Permission.PERMISSION_READ_ORDERS])).rejects.toMatchObject(LACKS_FILES);
    expect(await by([Permission.PERMISSION_USE_FILES])).toBeDefined();
  });

  it('throws PERMISSION_DENIED if the account lacks the own permission', async () => {
    const by = async () => principal({ permissions: [Permission.PERMISSION_USE_FILES] });
    await expect(admit(OWN, BEARER, CALL, by)).rejects.toMatchObject({
      reason: 'PERMISSION_DENIED',
      message: 'The account lacks invoices:read',
    });
  });

  it('asks a resource server for no permission if the rule exempts it', async () => {
    const server = async () => principal({ resourceServer: true });
    expect(await admit(FILES_OR_SERVER, BEARER, CALL, server)).toBeDefined();
    await expect(admit(FILES, BEARER, CALL, server)).rejects.toMatchObject(LACKS_FILES);
    await expect(admit(FILES_OR_SERVER, BEARER, CALL, async () => principal())).rejects.toMatchObject(LACKS_FILES);
  });

  it('throws PERMISSION_DENIED for an API key if the rule excludes API keys', async () => {
    const withKey = async () => principal({ apiKeyHash: 'hash' });
    await expect(admit(NO_API_KEY, API_KEY, CALL, withKey)).rejects.toMatchObject(NO_KEYS_HERE);
    expect(await admit(REQUIRED, API_KEY, CALL, withKey)).toBeDefined();
    expect(await admit(NO_API_KEY, BEARER, CALL, async () => principal())).toBeDefined();
  });

  it.each([{ refusesApplications: true }, { fresh: true }])(
    'throws PERMISSION_DENIED for an application if the rule has %j',
    async (changes) => {
      const rule = createMessage(Rule, { ...REQUIRED, ...changes });
      const by = (isApplication: boolean | undefined) => async () => principal({ isApplication });
      await expect(admit(rule, BEARER, CALL, by(true))).rejects.toMatchObject({
        reason: 'PERMISSION_DENIED',
        message: 'An application does not do this for its user',
      });
      for (const user of [false, undefined]) expect(await admit(rule, BEARER, CALL, by(user))).toBeDefined();
      expect(await admit(REQUIRED, BEARER, CALL, by(true))).toBeDefined();
    },
  );
});

describe('readmit', () => {
  it('checks the credential again, in the transaction', async () => {
    const before = principal();
    const tx = {} as Statements;
    const reauthenticate = vi.fn(async () => principal());
    await readmit(REQUIRED, before, reauthenticate, tx);
    expect(reauthenticate.mock.calls).toEqual([[before, tx]]);
  });

  it('throws the error of that check', async () => {
    const revoked = () => Promise.reject(new ServiceError('SUBJECT_UNKNOWN'));
    await expect(readmit(REQUIRED, principal(), revoked)).rejects.toMatchObject({ reason: 'SUBJECT_UNKNOWN' });
  });

  it.each([['globex'], [undefined]])('throws TOKEN_INVALID if the tenant is now %s', async (tenantId) => {
    const now = async () => principal(tenantId === undefined ? ({ tenantId } as never) : { tenantId });
    await expect(readmit(REQUIRED, principal(), now)).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
  });

  it('throws PERMISSION_DENIED if the account has lost the permission', async () => {
    const before = principal({ permissions: [Permission.PERMISSION_USE_FILES] });
    await expect(readmit(FILES, before, async () => principal())).rejects.toMatchObject(LACKS_FILES);
    await readmit(FILES, before, async () => before);
  });

  it('throws PERMISSION_DENIED for an API key if the rule excludes API keys', async () => {
    const key = principal({ apiKeyHash: 'hash' });
    await expect(readmit(NO_API_KEY, key, async () => key)).rejects.toMatchObject(NO_KEYS_HERE);
  });
});

describe('assertTrustedGateway', () => {
  const GATEWAY_ONLY = createMessage(Rule, { credential: Credential.CREDENTIAL_IGNORED, trustedGateway: true });
  const peer = (trusted: boolean) => ({ trusted }) as Parameters<typeof assertTrustedGateway>[1];

  it('throws PERMISSION_DENIED for any other caller', () => {
    expect(() => assertTrustedGateway(GATEWAY_ONLY, peer(false))).toThrow(
      expect.objectContaining({
        reason: 'PERMISSION_DENIED',
        message: 'The caller is neither named by app.rpc.trusted-gateways nor on the Unix socket',
      }),
    );
  });

  it('accepts a trusted gateway, and every caller if the rule does not require one', () => {
    expect(() => assertTrustedGateway(GATEWAY_ONLY, peer(true))).not.toThrow();
    expect(() => assertTrustedGateway(REQUIRED, peer(false))).not.toThrow();
  });
});
