// Any request content returns a documented error, never an unexpected one.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localClient } from '../../../src/platform/rpc/local/client.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { ENGINES } from '../../support/databases.ts';
import { existingRecords, missingRecords, type Records } from './rpcs.ts';
import { clientsOf, openWorld, type Actor, type Clients, type World } from '../../support/world.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { anyText } from '../../support/texts.ts';

/** RPCs that evaluate the caller's password at a price, and whose account locks. */
const OWN_PASSWORD = ['identity.changeOwnPassword', 'session.confirmSession'];
const EXPECTED = new Set([
  'OK',
  'VALIDATION_ERROR',
  'NOT_FOUND',
  'CONFLICT',
  'TENANT_MISMATCH',
  'PERMISSION_DENIED',
  'PRINCIPAL_NOT_ELIGIBLE',
  'BAD_CREDENTIALS',
  'ACCOUNT_LOCKED',
  'SECOND_FACTOR_INVALID',
]);

const text = fc.oneof(
  anyText({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    'x\udfff',
    '%',
    '_',
    '\\',
    "'; --",
    '😀'.repeat(200),
    'é'.repeat(400),
    'x'.repeat(70_000),
  ),
);
const date = fc.oneof(fc.date({ noInvalidDate: false }), fc.constantFrom(new Date(0), new Date(8.64e15), new Date(-1)));
const int = fc.oneof(fc.integer(), fc.constantFrom(0, 1, 100, 1_000_000, -2_147_483_648, 2_147_483_647));
const role = fc.oneof(text, fc.constantFrom('SALES', 'ADMIN', 'SUPER_ADMIN', 'ROLE_SALES', 'toString', '__proto__'));
const roles = fc.array(role, { maxLength: 13 });
const page = fc.option(fc.record({ page: int, perPage: int }), { nil: undefined });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** The fields of each request beside those that name a record. */
const FIELDS: Readonly<Record<string, Record<string, fc.Arbitrary<unknown>>>> = {
  'identity.createUser': {
    tenantId: maybe(fc.oneof(text, fc.constantFrom('acme', 'globex'))),
    username: text,
    password: fc.oneof(text, fc.constant(PASSWORD)),
    name: text,
    email: maybe(text),
    roles,
    accountExpiresAt: maybe(date),
    credentialsExpireAt: maybe(date),
  },
  'identity.listUsers': {
    page,
    tenantId: maybe(text),
    query: maybe(text),
    role: maybe(role),
    disabled: maybe(fc.boolean()),
  },
  'identity.updateUser': {
    user: maybe(
      fc.record({
        name: maybe(text),
        email: maybe(text),
        accountExpiresAt: maybe(date),
        credentialsExpireAt: maybe(date),
      }),
    ),
    updateMask: maybe(
      fc.array(fc.oneof(text, fc.constantFrom('name', 'email', 'account_expires_at', 'credentials_expire_at'))),
    ),
  },
  'identity.setUserRoles': { roles },
  'identity.setUserPassword': { password: text },
  'identity.changeOwnPassword': { currentPassword: text, newPassword: text },
  'session.confirmSession': {
    proof: maybe(fc.record({ $case: fc.constantFrom('password', 'totp', 'passkey'), value: text })),
  },
  'session.listMySessions': { page },
  'session.listSessions': { page, userId: maybe(text), tenantId: maybe(text) },
  'session.listUserSessions': { page },
  'tenancy.createTenant': { tenantId: text, name: text },
  'tenancy.listTenants': { page, query: maybe(text), status: int },
  'tenancy.listMyAuditRecords': { page },
  'tenancy.getAuditHead': { tenantId: maybe(text) },
  'tenancy.listAuditRecords': {
    page,
    tenantId: maybe(text),
    events: fc.array(text, { maxLength: 60 }),
    accountId: maybe(text),
    actorId: maybe(text),
    from: maybe(date),
    until: maybe(date),
  },
  'clientCredentials.createServiceAccount': {
    tenantId: maybe(fc.oneof(text, fc.constantFrom('acme', 'globex'))),
    clientId: text,
    name: text,
    roles,
  },
  'clientCredentials.listServiceAccounts': {
    page,
    tenantId: maybe(text),
    query: maybe(text),
    disabled: maybe(fc.boolean()),
  },
  'clientCredentials.listClientSecrets': { page },
  'session.listSigningKeys': { page },
  'clientCredentials.createClientSecret': { expiresAt: maybe(date) },
  'clientCredentials.expireClientSecret': { expiresAt: maybe(date) },
};

/** RPCs that name records, by any text. */
const NAMES: Readonly<Record<string, readonly (keyof Records)[]>> = {
  'identity.getUser': ['userId'],
  'identity.unlockUser': ['userId'],
  'identity.deleteUser': ['userId'],
  'session.revokeSession': ['userId', 'sessionId'],
  'session.revokeMySession': ['sessionId'],
  'tenancy.getTenant': ['tenantId'],
  'tenancy.suspendTenant': ['tenantId'],
  'clientCredentials.getServiceAccount': ['serviceAccountId'],
  'clientCredentials.expireClientSecret': ['serviceAccountId', 'secretId'],
};

type AnyCall = (request: object, as: object) => Promise<unknown>;

describe.each(ENGINES)('%s', (engine) => {
  let world: World;
  let clients: Clients;
  let records: Records;
  let callers: Actor[];

  beforeAll(async () => {
    world = await openWorld({ engine, transport: 'local' });
    // What no wire would let through, lone surrogates for example, comes through as it is.
    clients = clientsOf({ client: (definition) => localClient(world.deployment.core.host, definition) });
    records = await existingRecords(world, 'acme');
    callers = [world.admin, world.root];
  });
  afterAll(() => world?.close());

  const method = (rpc: string): AnyCall => {
    const [service, name] = rpc.split('.') as [keyof Clients, string];
    return (clients[service] as unknown as Record<string, AnyCall>)[name]!;
  };

  it.each(Object.entries(FIELDS))('%s returns a documented error for any field content', async (rpc, fields) => {
    await fc.assert(
      fc.asyncProperty(fc.record(fields), fc.nat(1), async (request, caller) => {
        const as = OWN_PASSWORD.includes(rpc) ? (await world.actor()).as : callers[caller]!.as;
        expect(EXPECTED).toContain(await outcomeOf(method(rpc)({ ...records, ...request }, as)));
      }),
      { numRuns: 60 },
    );
  });

  it.each(Object.entries(NAMES))('%s returns a documented error for any text as an id', async (rpc, names) => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(...names.map(() => text)), async (texts) => {
        const request = {
          ...missingRecords(),
          ...Object.fromEntries(names.map((name, index) => [name, texts[index]])),
        };
        // A tenant of any slug may have been created above.
        const found = rpc.startsWith('tenancy.') ? ['NOT_FOUND', 'OK'] : ['NOT_FOUND'];
        expect(found).toContain(await outcomeOf(method(rpc)(request, world.root.as)));
      }),
      { numRuns: 60 },
    );
  });
});
