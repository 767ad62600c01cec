// The limits of mails that callers can request. Notices count towards none.
import { createHash } from 'node:crypto';
import type { Deadline } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import { networkOf } from '../../platform/formats/network.ts';

/** Counts an event. Returns how long to wait in milliseconds if it is over the limit, else undefined. */
interface MailLimit {
  consume(key: string, deadline: Deadline): Promise<number | undefined>;
}

/** A limit of requests that anyone can make. */
interface PublicMailLimit extends MailLimit {
  /** Returns how long to wait in milliseconds if the limit is used up, else undefined. Counts nothing. */
  check(key: string): Promise<number | undefined>;
}

/** The limits of mails that callers can request. */
export interface MailLimits {
  readonly ofAccount: MailLimit;
  readonly ofNetwork: MailLimit;
  /** Of the clients behind a proxy whose addresses are not known. */
  readonly ofProxy: MailLimit;
  readonly ofTenant: PublicMailLimit;
  /** Of requests that count for no tenant. It refuses nothing, and executes the statements of a tenant's limit. */
  readonly ofNobody: PublicMailLimit;
}

/** An account that gets a mail. */
export interface LimitedAccount {
  readonly tenantId: string | undefined;
  /** Or what else is unique to it, if it does not exist yet. */
  readonly id: string;
}

interface LimitedCall {
  readonly clientAddress: string;
  readonly sharedAddress: boolean;
  readonly deadline: Deadline;
}

/** Returns whether a request that anyone can make is within the limits. It counts for usernames without an account, too. */
export async function countPublicRequest(limits: MailLimits, username: string, call: LimitedCall): Promise<boolean> {
  return (await consume(limits, hashOf(username, 'base64url'), call)) === undefined;
}

/**
 * Returns whether a request that anyone can make is within the limit of the account's tenant. It counts for none if there is no
 * account: `undefined`. A refused event takes more statements than a counted one. So a used-up limit is found by a check, and the
 * request then counts as one for no account does.
 */
export async function countForTenant(
  { ofTenant, ofNobody }: Pick<MailLimits, 'ofTenant' | 'ofNobody'>,
  account: { readonly tenantId: string } | undefined,
  username: string,
  { deadline }: Pick<LimitedCall, 'deadline'>,
): Promise<boolean> {
  // One row for all names would make the nodes of a cluster conflict.
  const nobody = { limit: ofNobody, key: hashOf(username, 'hex').slice(0, BUCKET_DIGITS) };
  const tenant = account && { limit: ofTenant, key: `public:${account.tenantId}` };
  const { limit: checked, key: checkedKey } = tenant ?? nobody;
  const isOpen = (await checked.check(checkedKey)) === undefined && tenant !== undefined;
  const { limit, key } = isOpen ? tenant : nobody;
  return (await limit.consume(key, deadline)) === undefined && isOpen;
}

/** 256 buckets. */
const BUCKET_DIGITS = 2;

const hashOf = (username: string, encoding: 'base64url' | 'hex') =>
  createHash('sha256').update(username).digest(encoding);

/**
 * Throws TOO_MANY_REQUESTS if a request of an authenticated caller is over the limits. Requests that anyone can make count apart, so
 * that strangers cannot use up this limit.
 */
export async function assertWithinLimits(
  limits: MailLimits,
  { tenantId = '', id }: LimitedAccount,
  call: LimitedCall,
): Promise<void> {
  // A request that another limit refuses does not count for the tenant.
  const retryAfterMs =
    (await consume(limits, `id:${id}`, call)) ?? (await limits.ofTenant.consume(tenantId, call.deadline));
  if (retryAfterMs === undefined) return;
  throw new ServiceError('TOO_MANY_REQUESTS', { publicMessage: 'Too many mails were requested', retryAfterMs });
}

/** Counts a request. Returns how long to wait in milliseconds if it is over a limit, else undefined. */
async function consume(
  { ofAccount, ofNetwork, ofProxy }: MailLimits,
  account: string,
  { clientAddress, sharedAddress, deadline }: LimitedCall,
): Promise<number | undefined> {
  const waits = [
    await ofAccount.consume(account, deadline),
    // Any client can claim to be a proxy, so that is not without a limit. Clients behind a real one share the limit.
    await (sharedAddress ? ofProxy : ofNetwork).consume(networkOf(clientAddress), deadline),
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}
