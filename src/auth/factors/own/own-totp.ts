// FactorService: the RPCs for the TOTP of the caller.
import type * as proto from '../../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { toBase32 } from '../../../platform/formats/base32.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AccountAdministration } from '../../identity/users/account-administration.ts';
import type { Notify } from '../../mail/notices.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Call } from '../../access/principal.ts';
import { createConfirmTotp } from '../confirm-totp.ts';
import { removeFactor } from '../change-factors.ts';
import { findFactors, NO_PENDING_TOTP, NO_TOTP, updateFactors, type FactorRow } from '../factor-store.ts';
import type { TotpSecrets } from '../totp-secrets.ts';
import { newTotpSecret, totpUri } from '../totp.ts';
import type { EndOtherSessions } from './own-passkeys.ts';
import { requireUser, type ProveSession } from './require-user.ts';
import { refusal } from '../../access/refusals.ts';

export interface OwnTotpDependencies {
  readonly totpSecrets: TotpSecrets;
  /** The name of this service in authenticator apps. */
  readonly totpIssuer: string;
  readonly administration: Pick<AccountAdministration, 'change'>;
  readonly endOtherSessions: EndOtherSessions;
  readonly proveSession: ProveSession;
  readonly notify: Notify;
  readonly policies: Pick<Policies, 'load'>;
}

/** How long a user has to scan the secret and to enter its first code. */
const CONFIRMATION_MS = 10 * 60_000;

export function ownTotpHandlers(options: OwnTotpDependencies) {
  const { totpSecrets, totpIssuer: issuer, administration, endOtherSessions, proveSession, policies, notify } = options;

  const confirmTotp = createConfirmTotp(totpSecrets);

  return {
    createMyTotp: ofUser(async (_request: proto.CreateMyTotpRequest, call): Promise<proto.CreateMyTotpResponse> => {
      const { account, sessionId: pendingTotpSessionId } = requireUser(call);
      const secret = newTotpSecret();
      await administration.change(call, account, async ({ tx, now }) => {
        const pendingTotpSecret = totpSecrets.encrypt(account.id, secret);
        const pendingTotpExpiresAt = now + CONFIRMATION_MS;
        await updateFactors(tx, account, { pendingTotpSecret, pendingTotpExpiresAt, pendingTotpSessionId });
      });
      return { secret: toBase32(secret), uri: totpUri(secret, { issuer, username: account.username }) };
    }),

    confirmMyTotp: ofUser(
      async ({ totp: code }: proto.ConfirmMyTotpRequest, call: Call): Promise<proto.ConfirmMyTotpResponse> => {
        const { account, sessionId } = requireUser(call);
        let recoveryCodes: string[] = [];
        await administration.change(call, account, async ({ tx, account: locked, now, record }) => {
          const encrypted = pendingSecret(await findFactors(tx, locked), sessionId, now);
          const codes = await confirmTotp({ tx, account: locked, now }, encrypted, code);
          if (!codes) throw new ServiceError('SECOND_FACTOR_INVALID');
          recoveryCodes = codes;
          await proveSession(tx, { account: locked, sessionId }, { kind: 'totp' }, now, call.deadline);
          const sessionsEnded = await endOtherSessions(tx, locked, sessionId, call);
          record('factor.created', { method: 'totp', sessionsEnded });
          await notify(tx, 'factor-added', locked, now);
        });
        return { recoveryCodes };
      },
    ),

    deleteMyTotp: ofUser(async (_request: proto.DeleteMyTotpRequest, call): Promise<proto.DeleteMyTotpResponse> => {
      const { account, sessionId } = requireUser(call);
      await administration.change(call, account, async ({ tx, account: locked, now, record }) => {
        if (!locked.factors.includes('totp')) throw new ServiceError('NOT_FOUND');
        await updateFactors(tx, locked, { ...NO_TOTP, ...NO_PENDING_TOTP });
        await removeFactor(tx, locked, 'totp', { policies, now });
        const sessionsEnded = await endOtherSessions(tx, locked, sessionId, call);
        record('factor.removed', { method: 'totp', sessionsEnded });
        await notify(tx, 'factor-removed', locked, now);
      });
      return {};
    }),
  };
}

/** Creates a handler that refuses service accounts before the request is validated. */
export function ofUser<Input, Output>(handle: (request: Input, call: Call) => Promise<Output>) {
  return loadThenHandle(async (_request: Input, call: Call) => void requireUser(call), handle);
}

/** Returns the secret that awaits its confirmation in the session that has begun the enrolment. */
function pendingSecret(
  { pendingTotpSecret: encrypted, pendingTotpExpiresAt: expiresAt = 0, pendingTotpSessionId }: FactorRow,
  sessionId: string,
  now: number,
) {
  if (encrypted === undefined || expiresAt <= now || pendingTotpSessionId !== sessionId)
    throw refusal('totpNotPending');
  return encrypted;
}
