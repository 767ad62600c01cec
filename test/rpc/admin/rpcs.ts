// Every RPC that asks for a credential, as it is called on somebody's records: from cli/isolation/examples.
import { Readable } from 'node:stream';
import { accessRuleOf, canNameTenant, declarationOf } from '../../../cli/isolation/derive-cases.ts';
import { EXAMPLES } from '../../../cli/isolation/examples/all.ts';
import { roleNameOf } from '../../../cli/isolation/examples/values.ts';
import type { Records } from '../../../cli/isolation/records.ts';
import { Credential, Permission } from '../../../proto/gen/authservice/access/v1/access.ts';
import type { UserFields } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import type { DescMethod } from '../../../src/platform/rpc/contract/descriptors.ts';
import type { CallOptions, MethodDefinition } from '../../../src/platform/rpc/types.ts';
import { IS_SHOP_SERVED, SHOP_PACKAGE } from '../../support/shop-served.ts';
import type { Clients } from '../../support/world.ts';

export type { Records };
export { existingRecords, missingRecords } from '../../support/records.ts';

/** An RPC of the table. */
export interface Rpc {
  /** `identity.getUser`, as in `clients.identity.getUser`. */
  readonly name: string;
  readonly definition: MethodDefinition;
  readonly method: DescMethod;
  readonly isOfShop: boolean;
  /** Undefined for standard services. */
  readonly rule: ReturnType<typeof accessRuleOf>;
  /** A valid request. A stream is a list of messages. */
  readonly request: (records: Records) => object;
  /** Sends a request. Returns the first message of a stream. */
  send(clients: Clients, request: object, as: CallOptions): Promise<unknown>;
}

/** All RPCs that this run serves, but for deprecated ones and those of standard services. */
export const RPCS: readonly Rpc[] = EXAMPLES.flatMap(({ definition, examples }) =>
  Object.entries(examples).map(([name, { request }]): Rpc => {
    const method = declarationOf(definition[name]!);
    const service = method.parent.name.replace(/Service$/, '').replace(/^./, (letter) => letter.toLowerCase());
    return {
      name: `${service}.${name}`,
      definition: definition[name]!,
      method,
      isOfShop: method.parent.file.proto.package === SHOP_PACKAGE,
      rule: accessRuleOf(method),
      request: (records) => request(records, records),
      send: (clients, message, as) =>
        send((clients as unknown as AnyClients)[service]![name]!, definition[name]!, message, as),
    };
  }),
).filter(({ rule, method, isOfShop }) => rule !== undefined && !method.deprecated && (IS_SHOP_SERVED || !isOfShop));

type AnyClients = Readonly<Record<string, Readonly<Record<string, (input: unknown, as: CallOptions) => unknown>>>>;

async function send(
  call: (input: unknown, as: CallOptions) => unknown,
  { requestStream, responseStream }: MethodDefinition,
  request: object,
  as: CallOptions,
): Promise<unknown> {
  const output = call(requestStream ? Readable.from(request as readonly unknown[]) : request, as);
  if (!responseStream) return output;
  for await (const first of output as AsyncIterable<unknown>) return first;
  return undefined;
}

/** Calls an RPC on these records. */
type Call = (clients: Clients, records: Records, as: CallOptions) => Promise<unknown>;

/** Calls of RPCs with their examples. The request names the tenant of the records, if it can name one. */
const callsOf = (rpcs: readonly Rpc[]): Readonly<Record<string, Call>> =>
  Object.fromEntries(
    rpcs.map(({ name, method, request, send: sendTo }) => [
      name,
      (clients, records, as) => {
        const fields = canNameTenant(method) ? { tenantId: records.tenant } : {};
        const message = request(records);
        return sendTo(clients, Array.isArray(message) ? message : { ...message, ...fields }, as);
      },
    ]),
  );

/** All that ask for a credential. */
export const ASKING = RPCS.filter(({ rule }) => rule!.credential === Credential.CREDENTIAL_REQUIRED);

/** The RPCs that ask for a credential, without those of the shop. */
export const ADMINISTRATION = callsOf(ASKING.filter(({ isOfShop }) => !isOfShop));

/** The RPCs of the shop. All of them ask for a credential. */
export const OF_SHOP = callsOf(ASKING.filter(({ isOfShop }) => isOfShop));

/** The permissions that RPCs ask for, without their prefix. Undefined if any account can call. */
export const PERMISSION_OF: ReadonlyMap<string, string | undefined> = new Map(
  ASKING.map(({ name, rule }) => [name, nameOf(rule!.permission)]),
);

/** The permissions that suffice instead. */
export const OR_PERMISSION_OF: ReadonlyMap<string, string | undefined> = new Map(
  ASKING.map(({ name, rule }) => [name, nameOf(rule!.orPermission)]),
);

function nameOf(wanted: Permission): string | undefined {
  const [permission] = Object.entries(Permission).find(([, number]) => number === wanted)!;
  return wanted === Permission.PERMISSION_UNSPECIFIED ? undefined : permission.replace('PERMISSION_', '');
}

/** The RPCs that ask for a credential only: every account may call them. */
export const EVERYBODY: ReadonlySet<string> = new Set(
  ASKING.filter(({ name }) => PERMISSION_OF.get(name) === undefined).map(({ name }) => name),
);

/** A policy without values of its own. */
export const NO_POLICY = { allowedOrigins: [] };

/** A request that updates these fields of a user. A field that is undefined is removed. */
export const userUpdate = (userId: string, user: UserFields) => ({
  userId,
  user,
  updateMask: Object.keys(user).map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
});

/** A name that no role has. */
export const newRoleName = () => roleNameOf(newId());

/** A request that creates a user of a name of its own. */
export const NEW_USER = () => ({
  username: `new-${newId()}@acme.test`,
  password: 'A long enough password',
  name: 'New User',
  roles: ['SALES'],
});
