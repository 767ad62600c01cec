import type {
  RequestRecoveryRequest,
  RequestRecoveryResponse,
} from '../../../../proto/gen/authservice/identity/v1/recovery_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database } from '../../../platform/db/types.ts';
import { pace } from '../../../platform/concurrency/pace-failures.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { countForAccount, countForNetwork, type MailLimits } from '../../mail/mail-limits.ts';
import { ownerWithoutAccount, passwordFingerprint, type MailTokens } from '../../mail/mail-tokens.ts';
import type { Outbox } from '../../mail/outbox.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Call } from '../../access/principal.ts';
import type { AccountStore } from '../account-store.ts';
import { canonicalUsername, USERNAME_LENGTH } from '../login-name.ts';
import { recoverableAccount } from './recoverable-account.ts';

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
 * which accounts exist: the rows of a request for no account have an owner that cannot exist. The pace hides that more rows are
 * read for an account. A network over its limit gets the same response without a statement, whatever the username is.
 */
export function createRequestRecovery(options: RequestRecoveryDependencies) {
  const { database, accounts, policies, mailTokens, outbox, mailLimits, clock } = options;

  return async (request: RequestRecoveryRequest, call: Call): Promise<RequestRecoveryResponse> => {
    const username = canonicalUsername(request.username);
    if (username === undefined) throw invalidUsername();
    return pace(() => requestFor(username, call));
  };

  async function requestFor(username: string, call: Call): Promise<RequestRecoveryResponse> {
    if (!(await countForNetwork(mailLimits, call))) return {};
    const nobody = ownerWithoutAccount(username);
    const found = await accounts.findByUsername(username);
    const known = recoverableAccount(found, policies, clock());
    const isAllowed = await countForAccount(mailLimits, known, username, call);
    await database.transaction(call.deadline, async (tx) => {
      // Nothing that ends a token can commit between this check and the token, except on another node of a cluster. There is no
      // guard as for other tokens: its conflicts would tell which accounts exist.
      const held = await accounts.hold(tx, known ?? nobody);
      const account = isAllowed ? recoverableAccount(held, policies, clock()) : undefined;
      const to = account?.email ?? NOBODY;
      const owner = account ?? nobody;
      const fingerprint = passwordFingerprint(owner, account?.passwordVersion);
      const id = newId();
      const token = await mailTokens.issue(tx, owner, 'recovery', { email: to, fingerprint, mailId: id });
      const mail = {
        id,
        template: 'recovery' as const,
        to,
        values: { username, link: outbox.link('recover', token) },
      };
      if (account) await outbox.add(tx, { ...mail, tenantId: account.tenantId });
      else await outbox.addDiscarded(tx, mail);
    });
    return {};
  }
}

function invalidUsername(): ServiceError {
  return new ServiceError('VALIDATION_ERROR', {
    violations: [{ message: `must have ${USERNAME_LENGTH}`, format: 'length', props: ['username'] }],
  });
}
