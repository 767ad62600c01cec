import type {
  SendRecoveryRequest,
  SendRecoveryResponse,
} from '../../../../proto/gen/authservice/identity/v1/recovery_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { assertWithinLimits, type MailLimits } from '../../mail/mail-limits.ts';
import { passwordFingerprint, type MailTokens } from '../../mail/mail-tokens.ts';
import { languageOf, type Outbox } from '../../mail/outbox.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { AccountStore } from '../account-store.ts';
import { onUser, type AccountAdministration } from '../users/account-administration.ts';
import { findObstacle, type RecoverableAccount } from './recoverable-account.ts';

export interface SendRecoveryDependencies {
  readonly administration: Pick<AccountAdministration, 'findUser' | 'recover'>;
  readonly accounts: Pick<AccountStore, 'find' | 'hold'>;
  readonly policies: Pick<Policies, 'of'>;
  readonly mailTokens: MailTokens;
  readonly outbox: Outbox;
  readonly mailLimits: MailLimits;
  readonly clock: Clock;
}

/** RecoveryService.SendRecovery. */
export function createSendRecovery(options: SendRecoveryDependencies) {
  const { administration, accounts, policies, mailLimits, clock } = options;
  return onUser(
    administration,
    async ({ language }: SendRecoveryRequest, call, user): Promise<SendRecoveryResponse> => {
      const recoverable = (found: Awaited<ReturnType<AccountStore['find']>>): RecoverableAccount => {
        const obstacle = findObstacle(found, policies, clock());
        if (obstacle !== undefined) throw obstacle();
        return found!.account as RecoverableAccount;
      };
      recoverable(await accounts.find(user));
      await assertWithinLimits(mailLimits, user, call);
      await administration.recover(call, user, async ({ tx, account, record }) => {
        await mailRecovery(tx, recoverable(await accounts.hold(tx, account)), options, language);
        record('account.recovery-sent');
      });
      return {};
    },
  );
}

/** Adds the mail of a recovery in the transaction of its cause. The link of an earlier one ends. */
export async function mailRecovery(
  tx: Statements,
  account: RecoverableAccount,
  {
    mailTokens,
    outbox,
  }: { readonly mailTokens: Pick<MailTokens, 'issue'>; readonly outbox: Pick<Outbox, 'add' | 'link'> },
  language?: string,
): Promise<void> {
  const { tenantId, username, email, passwordVersion } = account;
  const fingerprint = passwordFingerprint(account, passwordVersion);
  const id = newId();
  const token = await mailTokens.issue(tx, account, 'recovery', { email, fingerprint, mailId: id });
  const values = { username, link: outbox.link('recover', token) };
  await outbox.add(tx, { id, tenantId, template: 'recovery', to: email, values, language: languageOf(language) });
}
