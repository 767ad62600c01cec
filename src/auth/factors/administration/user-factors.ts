// FactorService: the RPCs of administrators for the factors of a user.
import type * as proto from '../../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { onUser, type AccountAdministration, type EndSessions } from '../../identity/users/account-administration.ts';
import { assertNotSelf } from '../../identity/users/administrator.ts';
import type { Notify } from '../../mail/notices.ts';
import { removeAllFactors } from '../change-factors.ts';
import { factorsMessage, type ReadFactors } from '../factors-message.ts';

export interface UserFactorsDependencies extends ReadFactors {
  readonly administration: Pick<AccountAdministration, 'findUser' | 'recover'>;
  readonly endSessions: EndSessions;
  readonly notify: Notify;
}

export function userFactorHandlers(options: UserFactorsDependencies) {
  const { administration, endSessions, notify } = options;

  return {
    getUserFactors: onUser(
      administration,
      async (_request: proto.GetUserFactorsRequest, _call, user): Promise<proto.GetUserFactorsResponse> => ({
        factors: await factorsMessage(options, user),
      }),
    ),

    deleteUserFactors: onUser(
      administration,
      async (_request: proto.DeleteUserFactorsRequest, call, user): Promise<proto.DeleteUserFactorsResponse> => {
        // Removing one's own factors requires that the tenant does not demand one: see DeleteMyTotp and DeleteMyPasskey.
        assertNotSelf(call, user, 'reset the factors of');
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
