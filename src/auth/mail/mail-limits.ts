// The limits of mails that callers can request. Notices count towards none.
import { createHash } from 'node:crypto';
import type { Deadline } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import { networkOf } from '../../platform/formats/network.ts';
import { bucketOf } from './mail-tokens.ts';

/** Counts an event. Returns how long to wait in milliseconds if it is over the limit, else undefined. */
interface MailLimit {
  consume(key: string, deadline: Deadline): Promise<number | undefined>;
}

/** A limit of requests that anyone can make. */
interface PublicMailLimit extends MailLimit {
  /** Counts an event, with the same statements for each key and count. */
  consumeUniformly: MailLimit['consume'];
}

/** The limits of mails that callers can request. */
export interface MailLimits {
  readonly ofAccount: PublicMailLimit;
  readonly ofNetwork: MailLimit;
  /** Of the clients behind a proxy whose addresses are not known. */
  readonly ofProxy: MailLimit;
  readonly ofTenant: PublicMailLimit;
  /** Of requests that count for no account. It refuses nothing, and executes the statements of the other limits. */
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

/**
 * Returns whether a request that anyone can make is within the limit of its network. A network that is over it costs no statement:
 * the limit remembers it.
 */
export async function countForNetwork(limits: MailLimits, call: LimitedCall): Promise<boolean> {
  return (await consumeOfNetwork(limits, call)) === undefined;
}

/**
 * Returns whether a request that anyone can make is within the limits of an account and its tenant. The same statements run at each
 * count and for each username. Usernames without an account, `undefined`, share a few rows: there are any number of them.
 */
export async function countForAccount(
  { ofAccount, ofTenant, ofNobody }: Pick<MailLimits, 'ofAccount' | 'ofTenant' | 'ofNobody'>,
  account: { readonly tenantId: string } | undefined,
  username: string,
  { deadline }: Pick<LimitedCall, 'deadline'>,
): Promise<boolean> {
  const isBelow = async (limit: PublicMailLimit, key: string | undefined): Promise<boolean> => {
    const counted =
      key === undefined
        ? ofNobody.consumeUniformly(bucketOf(username), deadline)
        : limit.consumeUniformly(key, deadline);
    return (await counted) === undefined && key !== undefined;
  };
  const isBelowOfAccount = await isBelow(
    ofAccount,
    account && createHash('sha256').update(username).digest('base64url'),
  );
  // A request that another limit refuses does not count for the tenant.
  return isBelow(ofTenant, account && isBelowOfAccount ? `public:${account.tenantId}` : undefined);
}

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
    (await consumeOfNetwork(limits, call)) ??
    (await limits.ofAccount.consume(`id:${id}`, call.deadline)) ??
    (await limits.ofTenant.consume(tenantId, call.deadline));
  if (retryAfterMs === undefined) return;
  throw new ServiceError('TOO_MANY_REQUESTS', { publicMessage: 'Too many mails were requested', retryAfterMs });
}

/** Counts a request. Returns how long to wait in milliseconds if its network is over the limit, else undefined. */
function consumeOfNetwork(
  { ofNetwork, ofProxy }: MailLimits,
  { clientAddress, sharedAddress, deadline }: LimitedCall,
): Promise<number | undefined> {
  // Any client can claim to be a proxy, so that is not without a limit. Clients behind a real one share the limit.
  return (sharedAddress ? ofProxy : ofNetwork).consume(networkOf(clientAddress), deadline);
}
