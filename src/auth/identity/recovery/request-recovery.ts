import { createHash } from 'node:crypto';
import type {
  RequestRecoveryRequest,
  RequestRecoveryResponse,
} from '../../../../proto/gen/authservice/identity/v1/recovery_service.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import { ownerWithoutAccount, type MailTokens } from '../../mail/mail-tokens.ts';
import type { Outbox } from '../../mail/outbox.ts';
import type { Policies } from '../../policy/policies.ts';
import type { Call } from '../../principal/principal.ts';
import type { AccountStore } from '../account-store.ts';
import { canonicalUsername, USERNAME_LENGTH } from '../login-name.ts';
import { recoverableAccount } from './recoverable-account.ts';

/** Counts an event. Returns how long to wait in milliseconds if it is over the limit, else undefined. */
interface MailLimit {
  consume(key: string, deadline: Deadline): Promise<number | undefined>;
}

/** The limits of mails that anyone can request. */
export interface MailLimits {
  readonly ofAccount: MailLimit;
  readonly ofNetwork: MailLimit;
}

export interface RequestRecoveryDependencies {
  readonly database: Database;
  readonly accounts: Pick<AccountStore, 'findByUsername' | 'hold'>;
  readonly policies: Pick<Policies, 'of'>;
  readonly mailTokens: MailTokens;
  readonly outbox: Outbox;
  readonly mailLimits: MailLimits;
  readonly clock: Clock;
}

/** An address of the right length, for the mails that are not sent. */
const NOBODY = 'nobody@example.invalid';

/**
 * RecoveryService.RequestRecovery. The same statements run for every username, so that neither the duration nor the load tells
 * which accounts exist: the rows of a request for no account have an owner that cannot exist.
 */
export function createRequestRecovery(options: RequestRecoveryDependencies) {
  const { database, accounts, policies, mailTokens, outbox, mailLimits, clock } = options;

  return async (request: RequestRecoveryRequest, call: Call): Promise<RequestRecoveryResponse> => {
    const username = canonicalUsername(request.username);
    if (username === undefined) throw invalidUsername();
    const isAllowed = await countRequest(username, call);
    const nobody = ownerWithoutAccount(username);
    const known = recoverableAccount(await accounts.findByUsername(username), policies, clock());
    await database.transaction(call.deadline, async (tx) => {
      // Nothing that ends a token can commit between this check and the token.
      const held = await accounts.hold(tx, known ?? nobody);
      const account = isAllowed ? recoverableAccount(held, policies, clock()) : undefined;
      const token = await mailTokens.issue(tx, account ?? nobody, 'recovery');
      const mail = {
        template: 'recovery' as const,
        to: account?.email ?? NOBODY,
        values: { username, link: outbox.link('recover', token) },
      };
      if (account) await outbox.add(tx, { ...mail, tenantId: account.tenantId });
      else await outbox.addDiscarded(tx, mail);
    });
    return {};
  };

  /** Returns whether the request is within the limits. It counts for usernames without an account, too. */
  async function countRequest(username: string, { clientAddress, sharedAddress, deadline }: Call): Promise<boolean> {
    const account = createHash('sha256').update(username).digest('base64url');
    const waitOfAccount = await mailLimits.ofAccount.consume(account, deadline);
    // Clients behind the same proxy share an address. A limit would let one client block the others.
    const waitOfNetwork = sharedAddress
      ? undefined
      : await mailLimits.ofNetwork.consume(networkOf(clientAddress), deadline);
    return waitOfAccount === undefined && waitOfNetwork === undefined;
  }
}

function invalidUsername(): ServiceError {
  return new ServiceError('VALIDATION_ERROR', {
    violations: [{ message: `must have ${USERNAME_LENGTH}`, format: 'length', props: ['username'] }],
  });
}
