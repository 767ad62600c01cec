// Revokes a token by its text, whatever it is (RFC 7009 section 2). Who holds a credential of a session may end it, as by a
// logout; the token of a machine client may be revoked by that client alone.
import type { AuditLog } from '../audit/audit-log.ts';
import type { Account } from '../principal/account.ts';
import type { CheckToken } from '../identity/authentication/check-token.ts';
import type { Call } from '../rpc/types.ts';
import { createLogOut, endingOf, type Ending, type LogOutDependencies } from './end-session.ts';
import type { RefreshTokenTransport, RefreshTokenTransports } from './refresh-token-transport.ts';
import type { SessionStore } from './session-store.ts';

export interface RevokeTokenDependencies extends LogOutDependencies {
  readonly sessions: Pick<SessionStore, 'findBySelector'>;
  readonly forms: RefreshTokenTransports;
  readonly checkToken: CheckToken;
  readonly audit: AuditLog;
}

/** Does nothing for a text that is no token, for a token that is not accepted any more, and for one of another client. */
export type RevokePresentedToken = (token: string, client: Account | undefined, call: Call) => Promise<void>;

export function createRevokePresentedToken(options: RevokeTokenDependencies): RevokePresentedToken {
  const { sessions, forms, checkToken, audit } = options;
  const logOut = createLogOut(options);

  return async (token, client, call) => {
    const session = await refreshedSession(token);
    const principal = session ? undefined : await checkToken(token, call);
    const ending = session ?? (principal && endingOf(principal));
    const own = client !== undefined && principal?.account.id === client.id ? principal : undefined;
    if (!ending && !own) return;
    await audit.commit(call, async (tx, record) => {
      const context = { record, callerId: client?.id, deadline: call.deadline };
      if (ending) await logOut.session(tx, ending, context);
      else await logOut.token(tx, own!, context);
    });
  };

  /** The session of a refresh credential, of any generation. */
  async function refreshedSession(token: string): Promise<Ending | undefined> {
    for (const form of Object.values<RefreshTokenTransport>(forms)) {
      const credential = await form.parse(token);
      const family = credential && (await sessions.findBySelector(credential.selector));
      if (family?.form !== form.stored) continue;
      const { id, tenantId, accountId } = family;
      return { id, tenantId, accountId, tokenExpiresAt: undefined };
    }
    return undefined;
  }
}
