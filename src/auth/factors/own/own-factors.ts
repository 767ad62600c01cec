// FactorService: all factors of the caller, and its recovery codes.
import type * as proto from '../../../../proto/gen/authservice/factor/v1/factor_service.ts';
import type { AccountAdministration } from '../../identity/users/account-administration.ts';
import type { ChallengeStore } from '../challenge-store.ts';
import { createRecoveryCodes } from '../change-factors.ts';
import { factorsMessage, type ReadFactors } from '../factors-message.ts';
import { ofUser } from './own-totp.ts';
import { requireUser } from './require-user.ts';
import { refusal } from '../../access/refusals.ts';

export interface OwnFactorsDependencies extends ReadFactors {
  readonly administration: Pick<AccountAdministration, 'change'>;
  readonly challenges: Pick<ChallengeStore, 'deleteOf'>;
}

export function ownFactorHandlers(options: OwnFactorsDependencies) {
  const { administration, challenges } = options;

  return {
    getMyFactors: ofUser(async (_request: proto.GetMyFactorsRequest, call): Promise<proto.GetMyFactorsResponse> => {
      const { account } = requireUser(call);
      return { factors: await factorsMessage(options, account) };
    }),

    createMyRecoveryCodes: ofUser(
      async (_request: proto.CreateMyRecoveryCodesRequest, call): Promise<proto.CreateMyRecoveryCodesResponse> => {
        const { account } = requireUser(call);
        let recoveryCodes: string[] = [];
        await administration.change(call, account, async ({ tx, account: locked, now, record }) => {
          if (locked.factors.length === 0) throw refusal('factorMissing');
          recoveryCodes = await createRecoveryCodes(tx, locked, now);
          await challenges.deleteOf(tx, locked);
          record('factor.created', { method: 'recovery-code' });
        });
        return { recoveryCodes };
      },
    ),
  };
}
