// Grants that could not be recorded in the audit log, and their rate limit.
import { expect, it, vi } from 'vitest';
import { createAuthenticateClient } from '../../src/auth/identity/authentication/authenticate-client.ts';
import { NO_FACTORS, type Account } from '../../src/auth/access/account.ts';
import { createDefinitions } from '../../src/auth/access/roles/definitions.ts';
import { builtInRights } from '../../src/auth/access/roles/rights.ts';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';

const NOW = Date.UTC(2026, 0);
const FAILURE = new Error('not recorded');
const account: Account = {
  id: newId(),
  tenantId: 'acme',
  username: 'sync',
  name: 'Sync',
  email: undefined,
  interactive: false,
  roles: ['MANAGER'],
  disabled: false,
  resourceServer: false,
  accountExpiresAt: undefined,
  credentialsExpireAt: undefined,
  loginFailedCount: 0,
  lockedUntil: undefined,
  ...NO_FACTORS,
  createdAt: NOW,
  rights: builtInRights({ roles: ['MANAGER'], tenantId: 'acme' }),
};

/** Returns how often a grant is taken back that could not be recorded. */
async function givenBack(deadline: Deadline): Promise<number> {
  const definitions = createDefinitions({} as Database).current({ tenantId: undefined, version: null })!;
  const authenticate = createAuthenticateClient({
    accounts: {
      findByUsername: async () => ({ account, tenantStatus: 'ACTIVE', definitions, passwordHash: undefined }),
    },
    audit: { record: () => Promise.reject(FAILURE), refuse: () => {} },
    clock: () => NOW,
    runRefusable: (check) => check(),
    tenantRequired: true,
  });
  const giveBack = vi.fn();
  const context = { requestId: 'r', clientAddress: '192.0.2.1', deadline, log: undefined as never };
  const secret = async () => ({ kind: 'right', secretId: newId() }) as const;
  await expect(authenticate('sync', secret, context, { admit: async () => giveBack })).rejects.toBe(FAILURE);
  return giveBack.mock.calls.length;
}

it('does not count a grant that could not be recorded', async () => {
  expect(await givenBack(UNLIMITED)).toBe(1);
});

it('counts a grant whose caller set a deadline that passed before it was recorded', async () => {
  expect(await givenBack({ at: 0, signal: AbortSignal.abort() })).toBe(0);
});

it('counts a grant whose caller disconnected before it was recorded', async () => {
  expect(await givenBack({ ...UNLIMITED, signal: AbortSignal.abort() })).toBe(0);
});
