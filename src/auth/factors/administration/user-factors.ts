// FactorService: the RPCs of administrators for the factors of a user.
import type * as proto from '../../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { onUser, type AccountAdministration, type EndSessions } from '../../identity/users/account-administration.ts';
import { assertNotSelf } from '../../identity/users/administrator.ts';
import type { Notify } from '../../mail/notices.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Account } from '../../access/account.ts';
import { newAccessCode } from '../access-code.ts';
import { removeAllFactors, removeFactor } from '../change-factors.ts';
import { NO_PENDING_TOTP, NO_TOTP, storeAccessCode, updateFactors } from '../factor-store.ts';
import { deletePasskey, findPasskeys } from '../passkey-store.ts';
import { factorsMessage, type ReadFactors } from '../factors-message.ts';
import type { TotpSecrets } from '../totp-secrets.ts';
import { refusal } from '../../access/refusals.ts';

export interface UserFactorsDependencies extends ReadFactors {
  readonly administration: Pick<AccountAdministration, 'findUser' | 'change' | 'recover'>;
  readonly endSessions: EndSessions;
  readonly notify: Notify;
  readonly totpSecrets: TotpSecrets;
}

export function userFactorHandlers(options: UserFactorsDependencies) {
  const { administration, endSessions, notify, totpSecrets } = options;

  return {
    getUserFactors: onUser(
      administration,
      async (_request: proto.GetUserFactorsRequest, _call, user): Promise<proto.GetUserFactorsResponse> => ({
        factors: await factorsMessage(options, user),
      }),
    ),

    createAccessCode: onUser(
      administration,
      async ({ minutes }: proto.CreateAccessCodeRequest, call, user): Promise<proto.CreateAccessCodeResponse> => {
        assertNotSelf(call, user, 'accessCode');
        const accessCode = newAccessCode();
        let until = 0;
        await administration.change(call, user, async ({ tx, account, now, record }) => {
          if (account.factors.length === 0) throw refusal('userHasNoFactor');
          until = now + minutes * 60_000;
          const encrypted = totpSecrets.encrypt(account.id, Buffer.from(accessCode));
          await storeAccessCode(tx, account, { encrypted, until });
          record('access-code.created', { expiresAt: new Date(until).toISOString() });
          await notify(tx, 'access-code', account, now);
        });
        return { accessCode, expiresAt: new Date(until) };
      },
    ),

    deleteUserFactor: onUser(
      administration,
      async ({ factorId }: proto.DeleteUserFactorRequest, call, user): Promise<proto.DeleteUserFactorResponse> => {
        if (factorId !== 'totp' && !isId(factorId)) throw new ServiceError('NOT_FOUND');
        assertNotSelf(call, user, 'removeFactor');
        await administration.recover(call, user, async ({ tx, account, now, record }) => {
          const removed =
            factorId === 'totp' ? await removeTotp(tx, account, now) : await removePasskey(tx, account, factorId, now);
          const sessionsEnded = await endSessions(tx, account, call.deadline, record);
          record('factor.removed', { ...removed, sessionsEnded });
          await notify(tx, 'factor-removed', account, now);
        });
        return {};
      },
    ),

    deleteUserFactors: onUser(
      administration,
      async (_request: proto.DeleteUserFactorsRequest, call, user): Promise<proto.DeleteUserFactorsResponse> => {
        // Removing one's own factors requires that the tenant does not demand one: see DeleteMyTotp and DeleteMyPasskey.
        assertNotSelf(call, user, 'resetFactors');
        await administration.recover(call, user, async ({ tx, account, now, record }) => {
          await removeAllFactors(tx, account, now);
          const sessionsEnded = await endSessions(tx, account, call.deadline, record);
          record('factor.reset', { methods: account.factors.join(), sessionsEnded });
          if (account.factors.length > 0) await notify(tx, 'factor-removed', account, now);
        });
        return {};
      },
    ),
  };
}

async function removeTotp(tx: Statements, account: Account, now: number) {
  if (!account.factors.includes('totp')) throw new ServiceError('NOT_FOUND');
  await updateFactors(tx, account, { ...NO_TOTP, ...NO_PENDING_TOTP });
  await removeFactor(tx, account, 'totp', { now });
  return { method: 'totp' };
}

async function removePasskey(tx: Statements, account: Account, passkeyId: string, now: number) {
  const { tenantId, id: accountId } = account;
  if (!(await deletePasskey(tx, { tenantId, accountId, id: passkeyId }))) throw new ServiceError('NOT_FOUND');
  const others = await findPasskeys(tx, account);
  await removeFactor(tx, account, 'passkey', { hasAnother: others.length > 0, now });
  return { method: 'passkey', passkeyId };
}
