import { describe, expect, it } from 'vitest';
import { RefreshTokenTransport } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Account } from '../../src/auth/access/account.ts';
import type { Call } from '../../src/auth/access/principal.ts';
import { createTestPolicies } from '../support/policies.ts';
import { createLogin, type LoginDependencies } from '../../src/auth/session/login/login.ts';
import type { TransportPolicy } from '../../src/auth/session/transport/transport-policy.ts';

const ACCOUNT = {
  id: newId(),
  tenantId: 'acme',
  username: 'ann',
  roles: [],
  rights: { prefixedRoles: [] },
  factors: [],
} as unknown as Account;
const TRANSPORT = {
  stored: 'COOKIE',
  accessTokenTtlMs: 1,
  absoluteLifetimeMs: undefined,
  emailOf: () => undefined,
  idleWindowMs: () => 1,
  issue: async () => ({ value: 'token', selector: Buffer.alloc(0), generation: 1, verifierHash: Buffer.alloc(0) }),
  carry: () => ({}),
} as unknown as TransportPolicy;

/** Logs in. The deadline passes after the transaction if `isLate`. */
function logIn(isLate: boolean) {
  const events: string[] = [];
  let isOver = false;
  const login = createLogin({
    manager: {
      async authenticate(
        _attempt: unknown,
        _call: unknown,
        decide: (account: Account, policy: object) => Promise<Function>,
      ) {
        const write = await decide(ACCOUNT, createTestPolicies().of(undefined));
        const response = await write({ execute: async () => 1, query: async () => [] }, () => {});
        isOver = isLate;
        return response;
      },
    },
    failureLimits: { login: { assertBelow: async () => {}, countFailure: async () => events.push('counted') } },
    sessions: {
      findLeastUsed: async () => [],
      insert: async () => events.push('inserted'),
      remove: async () => events.push('removed'),
    },
    retries: { run: async (work: () => Promise<unknown>) => void (await work()) },
    transports: { REFRESH_TOKEN_TRANSPORT_COOKIE: TRANSPORT },
    tokens: { sign: async () => ({ token: 'access', expiresAt: 1 }) },
    factorOptions: { passkeys: false },
    disclosure: 'maximal',
    clock: () => 0,
  } as unknown as LoginDependencies);
  const call = {
    clientAddress: '192.0.2.1',
    deadline: { at: Infinity, signal: new AbortController().signal, isAborted: () => isOver },
  } as unknown as Call;
  const request = {
    username: 'ann',
    password: 'secret',
    rememberMe: false,
    refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE,
  };
  return { response: login(request, call), events };
}

describe('a login', () => {
  it('returns the tokens of its session', async () => {
    const { response, events } = logIn(false);
    expect(await response).toMatchObject({ accessToken: 'access' });
    expect(events).toEqual(['inserted']);
  });

  it('is unavailable and leaves no session if the deadline passes after the commit', async () => {
    const { response, events } = logIn(true);
    await expect(response).rejects.toBeInstanceOf(DependencyUnavailableError);
    expect(events).toEqual(['inserted', 'removed']);
  });
});
