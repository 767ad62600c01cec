// Any request content returns a declared error, never an unexpected one: every field of every RPC, by its type and its rule. On both
// engines, because they read and compare texts differently.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isForService } from '../../../cli/isolation/derive-cases.ts';
import { errorsOf, rpcOf } from '../../../gateway/contract/contracts.ts';
import { Credential } from '../../../proto/gen/authservice/access/v1/access.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { ownDescriptors, readOnlyMethods } from '../../../src/platform/rpc/contract/descriptors.ts';
import { localClient } from '../../../src/platform/rpc/local/client.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { ENGINES } from '../../support/databases.ts';
import { hostileRecords, hostileRequest } from '../../support/hostile-requests.ts';
import { mailFolder } from '../../support/mails.ts';
import { PASSKEYS } from '../../support/passkeys.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { clientsOf, openWorld, type Clients, type World } from '../../support/world.ts';
import { existingRecords, missingRecords, RPCS, type Records, type Rpc } from './rpcs.ts';

type Message = Readonly<Record<string, unknown>>;

/** One record of each kind in a tenant, and its administrator. */
interface Subject {
  readonly records: Records;
  readonly admin: CallOptions;
}

const READ_ONLY = readOnlyMethods(ownDescriptors());

const RUNS = { numRuns: 5 * ROUNDS };
const WITH_FIELDS = RPCS.filter(({ method }) => method.input.fields.length > 0);
const NAMING_RECORDS = WITH_FIELDS.filter(({ method }) => hostileRecords(method.input, {}) !== undefined);

const isPublic = ({ rule }: Rpc) => rule!.credential !== Credential.CREDENTIAL_REQUIRED;
/** RPCs that evaluate the caller's password at a price, and whose account locks. */
const locksCaller = (rpc: Rpc) => !isPublic(rpc) && errorsOf(rpcOf(rpc.method)).includes('ACCOUNT_LOCKED');

/** RPCs that end the session of the caller. */
const ENDS_CALLER: ReadonlySet<string> = new Set(['session.revokeTenantSessions']);

/** The outcomes that an RPC declares, and those that follow from the rules of its fields and of its access. */
const outcomesOf = (rpc: Rpc): string[] => [
  'OK',
  'VALIDATION_ERROR',
  ...errorsOf(rpcOf(rpc.method)),
  ...(isPublic(rpc) ? [] : ['PERMISSION_DENIED']),
];

describe.each(ENGINES)('%s', (engine) => {
  let world: World;
  let clients: Clients;
  /** For the RPCs that change nothing. */
  let shared: Subject;

  beforeAll(async () => {
    const settings = { ...mailFolder().settings, ...PASSKEYS };
    world = await openWorld({ engine, transport: 'local', settings });
    // What no wire would let through, lone surrogates for example, comes through as it is.
    clients = clientsOf({ client: (definition) => localClient(world.deployment.core.host, definition) });
    shared = await openSubject();
  });
  afterAll(() => world?.close());

  /** Creates a tenant. An RPC can change and delete its records. */
  async function openSubject(): Promise<Subject> {
    const tenantId = `t-${newId()}`;
    return {
      records: await existingRecords(world, tenantId),
      admin: (await world.actor({ tenantId, roles: ['ADMIN'] })).as,
    };
  }

  /** Returns the callers to whom the permission of an RPC is not denied. */
  function callersOf(rpc: Rpc, admin: CallOptions): readonly CallOptions[] {
    if (isPublic(rpc)) return [{}];
    if (isForService(rpc.method)) return [world.root.as];
    return rpc.isOfShop ? [admin] : [admin, world.root.as];
  }

  // First, because the other requests create tenants of any slug.
  it.each(NAMING_RECORDS)('$name returns NOT_FOUND for any text as an id', async (rpc) => {
    const caller = rpc.isOfShop ? world.admin.as : world.root.as;
    const requests = hostileRecords(rpc.method.input, rpc.request(missingRecords()) as Message)!;
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        expect(await outcomeOf(rpc.send(clients, request, caller))).toBe('NOT_FOUND');
      }),
      RUNS,
    );
  });

  it.each(WITH_FIELDS)('$name returns a declared error for any content', async (rpc) => {
    const { records, admin } = isPublic(rpc) || READ_ONLY.has(rpc.definition.path) ? shared : await openSubject();
    const example = rpc.request(records);
    const callers = callersOf(rpc, admin);
    const hostile = (message: Message) => hostileRequest(rpc.method.input, message);
    const requests = Array.isArray(example)
      ? fc.tuple(...(example as readonly Message[]).map(hostile))
      : hostile(example as Message);
    const expected = outcomesOf(rpc);
    await fc.assert(
      fc.asyncProperty(requests, fc.nat(callers.length - 1), async (request, caller) => {
        const own = async () => (await world.actor({ tenantId: records.tenant, roles: ['ADMIN'] })).as;
        const as = locksCaller(rpc) || ENDS_CALLER.has(rpc.name) ? await own() : callers[caller]!;
        expect(expected).toContain(await outcomeOf(rpc.send(clients, request, as)));
      }),
      RUNS,
    );
  });
});
