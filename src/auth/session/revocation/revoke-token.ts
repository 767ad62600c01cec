// Revokes a token of any kind (RFC 7009 section 2). The holder of a session's token may end the session, like a logout.
// Only the machine client that owns a token may revoke it.
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { Account } from '../../access/account.ts';
import type { CheckToken } from '../../identity/authentication/authenticate-credentials.ts';
import type { Call } from '../../access/principal.ts';
import { createEndings, toEnding, type Ending, type EndingDependencies } from './logout.ts';
import type { TransportPolicy, TransportPolicies } from '../transport/transport-policy.ts';
import type { SessionStore } from '../session-store.ts';

/**
 * Returns a function that revokes a token. It does nothing if the text is not a token, or if the token is not accepted or
 * belongs to another client.
 */
export function createRevokePresentedToken(
  options: EndingDependencies & {
    readonly sessions: Pick<SessionStore, 'findBySelector'>;
    readonly transports: TransportPolicies;
    readonly checkToken: CheckToken;
    readonly audit: AuditLog;
  },
) {
  const { sessions, transports, checkToken, audit } = options;
  const endings = createEndings(options);

  return async (token: string, client: Account | undefined, call: Call): Promise<void> => {
    const session = await findSessionOfRefreshToken(token);
    const principal = session ? undefined : await checkToken(token, call);
    const ending = session ?? (principal && toEnding(principal));
    const clientPrincipal = client !== undefined && principal?.account.id === client.id ? principal : undefined;
    if (!ending && !clientPrincipal) return;
    await audit.commit(call, async (tx, record) => {
      const context = { record, callerId: client?.id, deadline: call.deadline };
      if (ending) await endings.endSession(tx, ending, context);
      else await endings.revokeToken(tx, clientPrincipal!, context);
    });
  };

  /** Returns the session of a refresh token of any generation. */
  async function findSessionOfRefreshToken(token: string): Promise<Ending | undefined> {
    for (const transport of Object.values<TransportPolicy>(transports)) {
      const credential = await transport.parse(token);
      const session = credential && (await sessions.findBySelector(credential.selector));
      if (session?.transport === transport.stored) return session;
    }
    return undefined;
  }
}
