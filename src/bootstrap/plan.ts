// What a bootstrap file may say: tenants and accounts that must exist.
import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { parseDocument } from 'yaml';
import { ROLES } from '../identity/account.ts';
import { canonicalUsername } from '../identity/username.ts';

const strict = { additionalProperties: false };
const Name = Type.String({ minLength: 1, maxLength: 200 });
const Password = Type.String({ minLength: 1, maxLength: 1024 });
const Time = Type.String({
  pattern: String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$`,
});
const HeldRoles = Type.Array(Type.Enum(ROLES.filter((role) => role !== 'SUPER_ADMIN')), {
  minItems: 1,
  uniqueItems: true,
});

const User = Type.Object(
  {
    username: Type.String(),
    password: Password,
    name: Type.Optional(Name),
    email: Type.Optional(Type.String({ minLength: 3, maxLength: 320 })),
    roles: HeldRoles,
    disabled: Type.Optional(Type.Boolean()),
    accountExpiresAt: Type.Optional(Time),
    credentialsExpireAt: Type.Optional(Time),
  },
  strict,
);

const ServiceAccount = Type.Object(
  {
    clientId: Type.String(),
    clientSecret: Type.Optional(Type.String({ minLength: 32, maxLength: 1024 })),
    name: Type.Optional(Name),
    roles: HeldRoles,
    disabled: Type.Optional(Type.Boolean()),
  },
  strict,
);

const Tenant = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9-]{1,63}$' }),
    name: Type.Optional(Name),
    users: Type.Optional(Type.Array(User)),
    serviceAccounts: Type.Optional(Type.Array(ServiceAccount)),
  },
  strict,
);

const Plan = Type.Object(
  {
    superAdmins: Type.Optional(Type.Array(Type.Object({ username: Type.String(), password: Password }, strict))),
    tenants: Type.Optional(Type.Array(Tenant)),
  },
  strict,
);

export type BootstrapPlan = Static<typeof Plan>;
export type PlannedTenant = Static<typeof Tenant>;
export type PlannedUser = Static<typeof User>;
export type PlannedServiceAccount = Static<typeof ServiceAccount>;

/** Reads a bootstrap file. Throws an error that lists every problem with its place; it never echoes a value. */
export function parseBootstrapPlan(text: string, path: string): BootstrapPlan {
  const document = parseDocument(text, { uniqueKeys: true });
  const problems = document.errors.map((error) => `line ${error.linePos?.[0].line ?? '?'}: ${error.code}`);
  if (problems.length > 0) throw unusable(path, problems);
  const plan: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  problems.push(...schemaProblems(Plan, plan));
  if (problems.length > 0) throw unusable(path, problems);
  problems.push(...namingProblems(plan as BootstrapPlan));
  if (problems.length > 0) throw unusable(path, problems);
  return plan as BootstrapPlan;
}

function schemaProblems(schema: TSchema, value: unknown): string[] {
  return Value.Errors(schema, value).map((error) => `${error.instancePath || '/'}: ${error.message}`);
}

function namingProblems(plan: BootstrapPlan): string[] {
  const names = [
    ...(plan.superAdmins ?? []).map((user, i) => ({ place: `/superAdmins/${i}/username`, name: user.username })),
    ...(plan.tenants ?? []).flatMap((tenant, t) => [
      ...(tenant.users ?? []).map((user, i) => ({ place: `/tenants/${t}/users/${i}/username`, name: user.username })),
      ...(tenant.serviceAccounts ?? []).map((client, i) => ({
        place: `/tenants/${t}/serviceAccounts/${i}/clientId`,
        name: client.clientId,
      })),
    ]),
  ];
  const seen = new Set<string>();
  return names.flatMap(({ place, name }) => {
    const canonical = canonicalUsername(name);
    if (canonical === undefined) return [`${place}: must have 1 to 254 characters`];
    if (seen.has(canonical))
      return [`${place}: is given twice; usernames and client ids are unique across all tenants`];
    seen.add(canonical);
    return [];
  });
}

function unusable(path: string, problems: readonly string[]): Error {
  return new Error(
    `app.bootstrap.file ${path} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
}
