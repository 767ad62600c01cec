// What a bootstrap plan may say: tenants and accounts that must exist.
import { Type, type Static } from 'typebox';
import { ROLES } from '../identity/account.ts';
import { canonicalUsername } from '../identity/username.ts';

const strict = { additionalProperties: false };
const Name = Type.String({ minLength: 1, maxLength: 200 });
const Password = Type.String({ minLength: 1, maxLength: 1024 });
const HeldRoles = Type.Array(Type.Enum(ROLES.filter((role) => role !== 'SUPER_ADMIN')), {
  minItems: 1,
  uniqueItems: true,
});
const Username = Type.Refine(
  Type.String(),
  (text: string) => canonicalUsername(text) !== undefined,
  () => 'must have 1 to 254 characters',
);
const Time = Type.Refine(Type.String(), isTime, () => 'must be a time such as 2030-12-31 or 2030-12-31T18:00:00Z');

const User = Type.Object(
  {
    username: Username,
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
    clientId: Username,
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

export const BootstrapPlan = Type.Object(
  {
    superAdmins: Type.Optional(Type.Array(Type.Object({ username: Username, password: Password }, strict))),
    tenants: Type.Optional(Type.Array(Tenant)),
  },
  strict,
);

export type BootstrapPlan = Static<typeof BootstrapPlan>;
export type PlannedTenant = Static<typeof Tenant>;
export type PlannedUser = Static<typeof User>;
export type PlannedServiceAccount = Static<typeof ServiceAccount>;

const TIME = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

// Date.parse takes the 31st of February for the 3rd of March.
function isTime(text: string): boolean {
  const day = TIME.exec(text)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
