import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type {
  VerifyAccessRequest,
  VerifyAccessResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { isOwnPermission, NOT_A_PERMISSION } from '../../../platform/formats/names.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { enumName } from '../../../platform/rpc/message.ts';
import type { Call, Principal } from '../../access/principal.ts';
import type { DefinitionsReader } from '../../access/roles/definitions.ts';
import type { RequireStepUp } from './step-up.ts';

/** The requirements of another service. */
type Requirements = Pick<VerifyAccessRequest, 'permission' | 'maxAge' | 'amr'>;

/**
 * Returns the identity headers of a principal. Rejects with PERMISSION_DENIED if it lacks one of the permissions. Otherwise rejects with
 * VALIDATION_ERROR if a requirement does not exist, then with FRESH_SESSION_REQUIRED. Each own permission exists, because a service can
 * ask for it before a role has it.
 */
export type VerifyPrincipal = (principal: Principal, requirements: Requirements) => Promise<IdentityHeader[]>;

interface VerifyDependencies {
  readonly definitions: Pick<DefinitionsReader, 'permissionNamed'>;
  readonly requireStepUp: RequireStepUp;
}

export function createVerifyPrincipal({ definitions, requireStepUp }: VerifyDependencies): VerifyPrincipal {
  return async (principal, { permission, maxAge, amr }) => {
    const permissions = permission.map(
      (name) => definitions.permissionNamed(name) ?? (isOwnPermission(name) ? name : undefined),
    );
    assertRequirements(principal, permissions, amr);
    return identityHeaders(await requireStepUp(principal, { maxAge, amr: amr === undefined ? undefined : MFA }));
  };
}

/** IdentityService.VerifyAccess: identifies the sender of a request to another service and checks what that service requires. */
export function createVerifyAccess({ verifyPrincipal }: { readonly verifyPrincipal: VerifyPrincipal }) {
  return async (request: VerifyAccessRequest, call: Call): Promise<VerifyAccessResponse> => ({
    headers: await verifyPrincipal(call.principal!, request),
  });
}

const MFA = 'mfa';

function assertRequirements(
  principal: Pick<Principal, 'permissions'>,
  permissions: readonly (Permission | string | undefined)[],
  amr: string | undefined,
): void {
  const missing = permissions.find((permission) => permission !== undefined && !principal.permissions.has(permission));
  if (missing !== undefined) {
    throw new ServiceError('PERMISSION_DENIED', { detail: `The account lacks ${nameOf(missing)}` });
  }
  const violations = [
    ...permissions.flatMap((permission, index) => (permission === undefined ? [unknown(index)] : [])),
    ...(amr === undefined || amr === MFA ? [] : [{ message: 'must be mfa', format: 'enum', props: ['amr'] }]),
  ];
  if (violations.length === 0) return;
  throw new ServiceError('VALIDATION_ERROR', { violations });
}

function nameOf(permission: Permission | string): string {
  return typeof permission === 'number' ? enumName(Permission, permission) : permission;
}

function unknown(index: number) {
  return { message: NOT_A_PERMISSION, format: 'enum', props: ['permission', String(index)] };
}

// The headers in which a reverse proxy passes the authenticated account to the service behind it.

export interface IdentityHeader {
  readonly name: string;
  readonly value: string;
}

/** All header names, so that a proxy can remove those that a client has sent. */
export const IDENTITY_HEADERS = [
  'Remote-User',
  'Remote-Name',
  'Remote-Email',
  'Remote-Groups',
  'X-Auth-Subject',
  'X-Auth-Tenant',
  'X-Auth-Time',
  'X-Auth-Methods',
] as const;

/** The parts of a principal that the headers show. */
type Identity = Pick<Principal, 'account' | 'authentication'>;

const VALUES: Readonly<Record<(typeof IDENTITY_HEADERS)[number], (principal: Identity) => string | undefined>> = {
  'Remote-User': ({ account }) => account.username,
  'Remote-Name': ({ account }) => account.name,
  'Remote-Email': ({ account }) => account.email,
  'Remote-Groups': ({ account }) => account.rights.roles.join(','),
  'X-Auth-Subject': ({ account }) => account.id,
  'X-Auth-Tenant': ({ account }) => account.tenantId,
  'X-Auth-Time': ({ authentication }) => authentication && `${Math.floor(authentication.authenticatedAt / 1000)}`,
  'X-Auth-Methods': ({ authentication }) => authentication?.methods.join(','),
};

/** A proxy or its client can remove a header. A present header without a value differs from a removed one. */
const NO_VALUE = '-';

/** Returns all headers of a principal. */
function identityHeaders(principal: Identity): IdentityHeader[] {
  return IDENTITY_HEADERS.map((name) => ({ name, value: toHeaderValue(VALUES[name](principal)) }));
}

/**
 * Servers and languages agree only about printable ASCII. Leading and trailing spaces are not part of a header's value. A value
 * that equals NO_VALUE is encoded too.
 */
const UNSAFE = /[^\x20-\x7e]+|%|^ +| +$/g;

/** Percent-encodes characters that a header cannot carry. decodeURIComponent and similar functions restore the text. */
function toHeaderValue(text = ''): string {
  if (text === '') return NO_VALUE;
  if (text === NO_VALUE) return '%2D';
  return text.toWellFormed().replace(UNSAFE, encodeURIComponent);
}
