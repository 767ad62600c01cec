// The schema of a bootstrap plan: tenants and accounts that must exist.
import { type Static, type TSchema, Type } from 'typebox';
import {
  LANGUAGES,
  POLICY_FIELD_NAMES,
  SECOND_FACTOR_RULES,
  type PolicyFieldName,
} from '../../auth/access/policy/policy-fields.ts';
import { ROLES } from '../../auth/access/roles/built-in-roles.ts';
import {
  FORBIDDEN_CHARACTERS,
  hasForbiddenCharacters,
  hasForbiddenNameCharacters,
} from '../../platform/formats/characters.ts';
import { USERNAME_LENGTH, canonicalUsername } from '../../auth/identity/login-name.ts';
import { toMailbox } from '../../platform/formats/mail-address.ts';
import {
  NOT_A_PERMISSION,
  ROLE_PATTERN,
  SLUG_PATTERN,
  isPermissionName,
  parseDomainName,
} from '../../platform/formats/names.ts';
import { MAX_ROLES, MAX_ROLES_LENGTH, TOO_LONG } from '../../auth/access/roles/role-limits.ts';
import { fieldRule } from '../../platform/rpc/field-rule.ts';
import { ApplicationPlan } from './plan-application.ts';

const CREATE_USER = 'authservice.identity.v1.CreateUserRequest';
const CREATE_ROLE = 'authservice.tenancy.v1.CreateRoleRequest';
const EMAIL = fieldRule(`${CREATE_USER}.email`);
const LOGIN_DOMAINS = 'authservice.tenancy.v1.SetLoginDomainsRequest.login_domains';

const strict = { additionalProperties: false };
const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: fieldRule(`${CREATE_USER}.name`).max }),
  (text: string) => !hasForbiddenNameCharacters(text),
  () => FORBIDDEN_CHARACTERS,
);
const Password = Type.String({ minLength: 1, maxLength: fieldRule(`${CREATE_USER}.password`).max });
/** The built-in roles of accounts with a tenant. */
const TENANT_ROLES = ROLES.filter((role) => role !== 'SUPER_ADMIN');
/** The message of a name that no account of a tenant can hold. */
export const NOT_A_ROLE = `must be one of ${TENANT_ROLES.join(', ')}, or a role of the tenant`;
const HeldRole = Type.Refine(
  Type.String(),
  (text: string) => ROLE_PATTERN.test(text) && text !== 'SUPER_ADMIN',
  () => NOT_A_ROLE,
);
const HeldRoles = Type.Refine(
  Type.Array(HeldRole, { minItems: 1, maxItems: fieldRule(`${CREATE_USER}.roles`).items, uniqueItems: true }),
  (roles: readonly string[]) => roles.join().length <= MAX_ROLES_LENGTH,
  () => TOO_LONG,
);
const Username = Type.Refine(
  Type.String(),
  (text: string) => canonicalUsername(text) !== undefined,
  () => `must have ${USERNAME_LENGTH}`,
);
const LoginDomain = Type.Refine(
  Type.String(),
  (text: string) => parseDomainName(text) !== undefined,
  () => 'must be a domain name',
);
export const Identifier = Type.Refine(
  Username,
  (text: string) => !hasForbiddenCharacters(canonicalUsername(text) ?? ''),
  () => FORBIDDEN_CHARACTERS,
);
const Email = Type.Refine(
  Type.String({ minLength: EMAIL.min, maxLength: EMAIL.max }),
  (text: string) => !hasForbiddenCharacters(text) && toMailbox(text) !== undefined,
  () => 'must be an e-mail address',
);
const Time = Type.Refine(Type.String(), isTime, () => 'must be a time such as 2030-12-31 or 2030-12-31T18:00:00Z');

/** The fields of a user, in two parts. */
export const PROFILE = { name: Type.Optional(Name), email: Type.Optional(Email), roles: HeldRoles };
export const STATE = {
  disabled: Type.Optional(Type.Boolean()),
  accountExpiresAt: Type.Optional(Time),
  credentialsExpireAt: Type.Optional(Time),
};
/** With a password, or with an invitation and an e-mail address. */
const User = Type.Refine(
  Type.Object(
    {
      username: Identifier,
      password: Type.Optional(Password),
      invite: Type.Optional(Type.Boolean()),
      ...PROFILE,
      ...STATE,
    },
    strict,
  ),
  (user) =>
    (user.password === undefined) === (user.invite === true) && (user.invite !== true || user.email !== undefined),
  () => 'needs a password, or `invite: true` and an email',
);

const serviceAccount = <Roles extends TSchema>(roles: Roles) =>
  Type.Object(
    {
      clientId: Identifier,
      clientSecret: Type.Optional(Type.String({ minLength: 32, maxLength: 1024 })),
      name: Type.Optional(Name),
      roles,
      disabled: Type.Optional(Type.Boolean()),
      resourceServer: Type.Optional(Type.Boolean()),
    },
    strict,
  );
/** A service account of a tenant. */
const ServiceAccount = serviceAccount(HeldRoles);
/**
 * A service account without a tenant: the only kind of account that may have no tenant and a role other than
 * SUPER_ADMIN.
 */
const TenantlessServiceAccount = serviceAccount(Type.Array(Type.Enum([...ROLES]), { minItems: 1, uniqueItems: true }));

/** The fields of a policy that are not numbers. */
const POLICY_TYPES: Partial<Record<PolicyFieldName, TSchema>> = {
  allowedOrigins: Type.Array(Type.String(), { minItems: 1 }),
  secondFactor: Type.Enum([...SECOND_FACTOR_RULES]),
  recovery: Type.Boolean(),
  passkeyLogin: Type.Boolean(),
  sharedApplications: Type.Boolean(),
  language: Type.Enum([...LANGUAGES]),
};

/** The bounds of the service's values are checked when the plan is applied. */
const Policy = Type.Object(
  Object.fromEntries(POLICY_FIELD_NAMES.map((name) => [name, Type.Optional(POLICY_TYPES[name] ?? Type.Integer())])),
  strict,
);

const PermissionName = Type.Refine(
  Type.String(),
  (text: string) => isPermissionName(text),
  () => NOT_A_PERMISSION,
);
const RoleName = Type.Refine(
  Type.String(),
  (text: string) => ROLE_PATTERN.test(text),
  () => `must match ${ROLE_PATTERN.source.slice(1, -1)}`,
);
const RoleDefinition = Type.Object(
  {
    name: RoleName,
    description: Type.Optional(Type.String({ minLength: 1, maxLength: fieldRule(`${CREATE_ROLE}.description`).max })),
    permissions: Type.Optional(
      Type.Array(PermissionName, { uniqueItems: true, maxItems: fieldRule(`${CREATE_ROLE}.permissions`).items }),
    ),
    inherits: Type.Optional(
      Type.Array(RoleName, { uniqueItems: true, maxItems: fieldRule(`${CREATE_ROLE}.inherits`).items }),
    ),
  },
  strict,
);
const Roles = Type.Array(RoleDefinition, { maxItems: MAX_ROLES });

const Tenant = Type.Object(
  {
    id: Type.String({ pattern: SLUG_PATTERN.source }),
    name: Type.Optional(Name),
    loginDomains: Type.Optional(Type.Array(LoginDomain, { maxItems: fieldRule(LOGIN_DOMAINS).items })),
    policy: Type.Optional(Policy),
    roles: Type.Optional(Roles),
    users: Type.Optional(Type.Array(User)),
    serviceAccounts: Type.Optional(Type.Array(ServiceAccount)),
    applications: Type.Optional(Type.Array(ApplicationPlan)),
  },
  strict,
);

export const BootstrapPlan = Type.Object(
  {
    superAdmins: Type.Optional(Type.Array(Type.Object({ username: Identifier, password: Password }, strict))),
    serviceAccounts: Type.Optional(Type.Array(TenantlessServiceAccount)),
    /** For all tenants that share applications. */
    applications: Type.Optional(Type.Array(ApplicationPlan)),
    roles: Type.Optional(Roles),
    tenants: Type.Optional(Type.Array(Tenant)),
  },
  strict,
);

export type BootstrapPlan = Static<typeof BootstrapPlan>;
export type PlannedTenant = Static<typeof Tenant>;
export type PlannedRole = Static<typeof RoleDefinition>;
export type PlannedUser = Static<typeof User>;
export type PlannedServiceAccount = Static<typeof ServiceAccount>;

const TIME = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

// Date.parse accepts 31 February as 3 March.
function isTime(text: string): boolean {
  const day = TIME.exec(text)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
