// Checks a call's credential against its access rule: when the call begins, and again before long work is committed.
import { Credential, Permission, type Rule } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type { Statements } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import { enumName } from '../message.ts';
import type { Call, Caller } from '../types.ts';
import type { Peer } from './client-address.ts';

/** All credential headers of a call, raw. */
export interface Credentials {
  readonly authorization: readonly string[];
  readonly apiKey: readonly string[];
}

/**
 * Returns the principal of the credentials; undefined if none is of a supported kind. Throws TOKEN_INVALID,
 * SUBJECT_UNKNOWN and the like if they are invalid.
 */
export type Authenticate<C extends Caller> = (
  credentials: Credentials,
  call: Pick<Call, 'clientAddress' | 'deadline' | 'log' | 'requestId'>,
) => Promise<C | undefined>;

/**
 * Checks again that a principal's credential has not been revoked, and returns the current principal. In a transaction,
 * the result holds until it ends, because revocations wait for it. Throws TOKEN_INVALID or SUBJECT_UNKNOWN.
 */
export type Reauthenticate<C extends Caller> = (principal: C, tx?: Statements) => Promise<C>;

/** Rejects with FRESH_SESSION_REQUIRED if the user of the principal's session was not authenticated recently. */
export type RequireFresh<C extends Caller> = (principal: C) => Promise<void>;

/** Throws if the rule requires a trusted gateway and the peer is not one. */
export function assertTrustedGateway(rule: Rule, peer: Peer): void {
  if (!rule.trustedGateway || peer.trusted) return;
  throw new ServiceError('PERMISSION_DENIED', {
    detail: 'The caller is neither named by app.rpc.trusted-gateways nor on the Unix socket',
  });
}

/** Authenticates a call if its rule requires a credential, and checks the principal against the rule. */
export function admit<C extends Caller>(
  rule: Rule,
  incoming: Credentials,
  call: Call,
  authenticate: Authenticate<C>,
): Promise<C | undefined> {
  const optional = rule.credential === Credential.CREDENTIAL_OPTIONAL;
  if (optional && incoming.authorization.length === 0 && incoming.apiKey.length === 0)
    return Promise.resolve(undefined);
  return authenticate(incoming, call).then((principal) => {
    if (optional) return principal;
    if (principal === undefined) throw new ServiceError('TOKEN_MISSING');
    assertRule(rule, principal);
    return principal;
  });
}

/**
 * Checks the rule again with the current state of the principal, and returns it. Throws if its tenant is not the tenant of
 * the call.
 */
export async function readmit<C extends Caller>(
  rule: Rule,
  principal: C,
  reauthenticate: Reauthenticate<C>,
  tx?: Statements,
): Promise<C> {
  const now = await reauthenticate(principal, tx);
  if (now.account.tenantId !== principal.account.tenantId) throw new ServiceError('TOKEN_INVALID');
  assertRule(rule, now);
  return now;
}

function assertRule(rule: Rule, principal: Caller): void {
  const { permission, orPermission, ownPermission, refusesApiKeys, orResourceServer, refusesApplications, fresh } =
    rule;
  const isExempt =
    permission === Permission.PERMISSION_UNSPECIFIED || (orResourceServer && principal.account.resourceServer);
  const suffices = [permission, orPermission].some((one) => principal.permissions.has(one));
  if (!isExempt && !suffices) {
    throw new ServiceError('PERMISSION_DENIED', { detail: `The account lacks ${enumName(Permission, permission)}` });
  }
  if (ownPermission !== '' && !principal.permissions.has(ownPermission)) {
    throw new ServiceError('PERMISSION_DENIED', { detail: `The account lacks ${ownPermission}` });
  }
  if (refusesApiKeys && principal.apiKeyHash !== undefined) {
    throw new ServiceError('PERMISSION_DENIED', { detail: 'An API key issues no credentials and raises no rights' });
  }
  if ((refusesApplications || fresh) && principal.isApplication === true) {
    throw new ServiceError('PERMISSION_DENIED', { detail: 'An application does not do this for its user' });
  }
}
