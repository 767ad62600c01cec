// FactorService: the RPCs for the passkeys of the caller.
import type * as proto from '../../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AccountAdministration } from '../../identity/users/account-administration.ts';
import type { Notify } from '../../mail/notices.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import { addFactor, removeFactor } from '../change-factors.ts';
import { deletePasskey, findPasskeys, renamePasskey, type Passkey } from '../passkey-store.ts';
import type { PasskeyContext } from '../passkeys/passkey-challenges.ts';
import { REGISTERED, RefusedPasskey, type Passkeys } from '../passkeys/passkeys.ts';
import { requireUser, type ProveSession, type User } from './require-user.ts';
import { refusal } from '../../access/refusals.ts';

export interface OwnPasskeysDependencies {
  readonly database: Database;
  readonly passkeys: Passkeys;
  readonly administration: Pick<AccountAdministration, 'change'>;
  readonly endOtherSessions: EndOtherSessions;
  readonly proveSession: ProveSession;
  readonly notify: Notify;
  readonly policies: Pick<Policies, 'load'>;
}

/** Ends all sessions of an account but one, and its logins that need a second factor. Returns the number of sessions. */
export type EndOtherSessions = (tx: Statements, account: Account, current: string, call: Call) => Promise<number>;

const MAX_PASSKEYS = 20;

export function ownPasskeyHandlers(options: OwnPasskeysDependencies) {
  const { database, passkeys, administration, endOtherSessions, proveSession, policies, notify } = options;

  async function findOwn({ passkeyId }: { readonly passkeyId: string }, call: Call): Promise<Passkey> {
    const { account } = requireUser(call);
    const own = isId(passkeyId) ? await findPasskeys(database, account) : [];
    const passkey = own.find(({ id }) => id === passkeyId);
    if (!passkey) throw new ServiceError('NOT_FOUND');
    return passkey;
  }

  const requireCreator = async (_request: unknown, call: Call): Promise<User> => {
    const user = requireUser(call);
    passkeys.assertEnabled();
    return user;
  };

  return {
    async createMyPasskeyOptions(
      request: proto.CreateMyPasskeyOptionsRequest,
      call: Call,
    ): Promise<proto.CreateMyPasskeyOptionsResponse> {
      const { account, sessionId } = await requireCreator(request, call);
      assertOneMore(await findPasskeys(database, account));
      return { options: await passkeys.creationOptions(registrationIn(sessionId), account) };
    },

    createMyPasskey: loadThenHandle(
      requireCreator,
      async (
        { label, passkey: text }: proto.CreateMyPasskeyRequest,
        call: Call,
        { account, sessionId }: User,
      ): Promise<proto.CreateMyPasskeyResponse> => {
        const checked = await passkeys.checkCreated(text, registrationIn(sessionId));
        if (checked instanceof RefusedPasskey) throw checked;
        let passkey: Passkey | undefined;
        let recoveryCodes: string[] = [];
        await administration.change(call, account, async ({ tx, account: locked, now, record }) => {
          assertOneMore(await findPasskeys(tx, locked));
          const stored = await passkeys.store(tx, checked, { account: locked, label, now });
          if (stored === REGISTERED) throw refusal('passkeyRegistered');
          if (stored instanceof RefusedPasskey) throw stored;
          passkey = stored;
          recoveryCodes = await addFactor(tx, locked, 'passkey', now);
          await proveSession(tx, { account: locked, sessionId }, checked.proof, now, call.deadline);
          const sessionsEnded = await endOtherSessions(tx, locked, sessionId, call);
          record('factor.created', { method: 'passkey', passkeyId: passkey.id, sessionsEnded });
          await notify(tx, 'factor-added', locked, now);
        });
        return { passkey: passkeyMessage(passkey!), recoveryCodes };
      },
    ),

    updateMyPasskey: loadThenHandle(
      findOwn,
      async ({ label }: proto.UpdateMyPasskeyRequest, call, passkey): Promise<proto.UpdateMyPasskeyResponse> => {
        await administration.change(call, call.principal!.account, async ({ tx }) => {
          if (!(await renamePasskey(tx, passkey, label))) throw new ServiceError('NOT_FOUND');
        });
        return { passkey: passkeyMessage({ ...passkey, label }) };
      },
    ),

    deleteMyPasskey: loadThenHandle(
      findOwn,
      async (_request: proto.DeleteMyPasskeyRequest, call, passkey): Promise<proto.DeleteMyPasskeyResponse> => {
        const { account, sessionId } = requireUser(call);
        await administration.change(call, account, async ({ tx, account: locked, now, record }) => {
          if (!(await deletePasskey(tx, passkey))) throw new ServiceError('NOT_FOUND');
          const others = await findPasskeys(tx, locked);
          await removeFactor(tx, locked, 'passkey', { hasAnother: others.length > 0, policies, now });
          const sessionsEnded = await endOtherSessions(tx, locked, sessionId, call);
          record('factor.removed', { method: 'passkey', passkeyId: passkey.id, sessionsEnded });
          await notify(tx, 'factor-removed', locked, now);
        });
        return {};
      },
    ),
  };
}

/** The options of a registration are valid in the session that asked for them. */
function registrationIn(sessionId: string): PasskeyContext {
  return { purpose: 'registration', boundTo: sessionId };
}

function assertOneMore(existing: readonly Passkey[]): void {
  if (existing.length >= MAX_PASSKEYS) throw refusal('tooManyPasskeys', { maximum: MAX_PASSKEYS });
}

export function passkeyMessage({ id, label, createdAt, lastUsedAt, backedUp }: Passkey): proto.Passkey {
  return {
    id,
    label,
    createdAt: new Date(createdAt),
    ...(lastUsedAt !== undefined && { lastUsedAt: new Date(lastUsedAt) }),
    backedUp,
  };
}
