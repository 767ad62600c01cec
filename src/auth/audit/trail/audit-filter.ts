// The filter of audit records: what callers ask for, as the conditions of a statement.
import type { ListAuditRecordsRequest } from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { idToBytes, isId } from '../../../platform/db/ids.ts';
import { given, type Condition } from '../../../platform/db/query/condition.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { parseAddressRange, type AddressRange } from '../../../platform/formats/address-range.ts';
import { timeRange } from '../../../platform/rpc/request-violations.ts';
import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type { Call, Principal } from '../../access/principal.ts';

/** An undefined or empty field matches everything. */
export interface AuditFilter {
  readonly scope: AdminScope;
  readonly events: readonly string[];
  readonly accountId: string | undefined;
  readonly actorId: string | undefined;
  readonly address?: AddressRange | undefined;
  /** The session that caused the events. */
  readonly sessionId?: string | undefined;
  readonly requestId?: string | undefined;
  /** Unix milliseconds, inclusive. */
  readonly from: number | undefined;
  /** Unix milliseconds, exclusive. */
  readonly until: number | undefined;
}

/** The filter of a request, without its page. */
export type AuditFilterRequest = Omit<ListAuditRecordsRequest, 'page'>;

/** Returns the id of the account with this username or client id; undefined if no account has it. */
export type FindAccountId = (username: string) => Promise<string | undefined>;

/** Creates a function that returns the filter of a request; undefined if nothing can match, because nobody has the name. */
export function createParseAuditFilter(findAccountId: FindAccountId) {
  async function idsOf(given: string | undefined, id: string | undefined): Promise<string | undefined | null> {
    if (given === undefined) return id;
    const found = isId(given) ? given : await findAccountId(given);
    return found === undefined || (id !== undefined && id !== found) ? null : found;
  }

  return async (request: AuditFilterRequest, call: Call): Promise<AuditFilter | undefined> => {
    const { from, end } = timeRange(request.from, request.until, 'until');
    const scope = readableScope(call.principal!, request.tenantId);
    const address = request.address === undefined ? undefined : requireAddressRange(request.address);
    const accountId = await idsOf(request.account, request.accountId);
    const actorId = await idsOf(request.causedBy, request.actorId);
    if (accountId === null || actorId === null) return undefined;
    const { events, sessionId, requestId } = request;
    return { scope, events, accountId, actorId, address, sessionId, requestId, from, until: end };
  };
}

/** Returns the range of the field `address`. Throws VALIDATION_ERROR for any other text. */
export function requireAddressRange(text: string): AddressRange {
  const range = parseAddressRange(text);
  if (range) return range;
  const message = 'must be an address or a range such as 192.0.2.0/24';
  throw new ServiceError('VALIDATION_ERROR', { violations: [{ message, format: 'address', props: ['address'] }] });
}

/** Returns the conditions of a filter but those of tenants and events, for the alias `r`. */
export function conditionsOf(filter: AuditFilter): readonly Condition[] {
  const { from, until, accountId, actorId, address, sessionId, requestId } = filter;
  return [
    ...given(from, 'r.at >= ?'),
    ...given(until, 'r.at < ?'),
    ...given(actorId && idToBytes(actorId), 'r.actor_id = ?'),
    ...given(accountId && idToBytes(accountId), 'r.account_id = ?'),
    ...given(sessionId && idToBytes(sessionId), 'r.session_id = ?'),
    ...given(requestId, 'r.request_id = ?'),
    ...(address ? [addressCondition(address)] : []),
  ];
}

function addressCondition({ first, last }: AddressRange): Condition {
  if (first.equals(last)) return { sql: 'r.address = ?', values: [first] };
  return { sql: 'r.address >= ? AND r.address <= ?', values: [first, last] };
}

/**
 * Returns the tenants whose records the caller may read: its own; with PERMISSION_MANAGE_TENANTS, the requested one or
 * all. Throws TENANT_MISMATCH for another tenant.
 */
export function readableScope({ account, permissions }: Principal, requested: string | undefined): AdminScope {
  const { tenantId } = account;
  if (tenantId === undefined) {
    if (!permissions.has(Permission.PERMISSION_MANAGE_TENANTS)) throw new ServiceError('PERMISSION_DENIED');
    return requested === undefined ? { everyTenant: true } : { everyTenant: false, tenantId: requested };
  }
  if (requested !== undefined && requested !== tenantId) throw new ServiceError('TENANT_MISMATCH');
  return { everyTenant: false, tenantId };
}
