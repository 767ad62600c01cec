import type { LogoutRequest, LogoutResponse } from '../../proto/gen/session/v1/session_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Statements } from '../db/types.ts';
import type { Principal } from '../principal.ts';
import type { Call } from '../rpc/types.ts';
import type { Blacklist } from '../token/blacklist.ts';
import type { RefreshCredentials } from './refresh-credential.ts';
import type { RevokeFamily } from './revoke-family.ts';
import type { SessionFamily, SessionStore } from './session-store.ts';

export interface LogoutDependencies {
  readonly sessions: SessionStore;
  readonly credentials: RefreshCredentials;
  readonly revokeFamily: RevokeFamily;
  readonly blacklist: Blacklist;
  readonly audit: AuditLog;
  readonly cookieName: string;
}

/** SessionService.Logout: ends the session of the access token and those of the refresh credentials, at once. */
export function createLogout(options: LogoutDependencies) {
  const { sessions, credentials, revokeFamily, blacklist, audit, cookieName } = options;

  return async (request: LogoutRequest, call: Call): Promise<LogoutResponse> => {
    const families = await presentedFamilies(request);
    const { principal } = call;
    if (principal || families.length > 0) {
      await audit.commit(call, async (tx, record) => {
        if (principal) await revokeToken(tx, principal, call);
        for (const family of families) await revokeFamily(tx, family, 'logout', call.deadline);
        const accountId = principal?.account.id ?? families[0]!.accountId;
        const tenantId = principal ? principal.account.tenantId : families[0]!.tenantId;
        const sessionId = principal?.sessionId ?? families[0]?.id;
        record({
          event: 'session.logged-out',
          tenantId,
          accountId,
          details: sessionId === undefined ? {} : { sessionId },
        });
      });
    }
    return { refreshCookieName: cookieName };
  };

  async function presentedFamilies({ refreshCredentials }: LogoutRequest): Promise<SessionFamily[]> {
    const genuine = refreshCredentials.flatMap((value) => credentials.parse(value) ?? []);
    const found = await Promise.all(genuine.map(({ selector }) => sessions.findBySelector(selector)));
    return found.filter((family) => family !== undefined);
  }

  async function revokeToken(
    tx: Statements,
    { account, sessionId, revocationId, expiresAt }: Principal,
    call: Call,
  ): Promise<void> {
    if (sessionId !== undefined) {
      await revokeFamily(tx, { tenantId: account.tenantId, id: sessionId }, 'logout', call.deadline, expiresAt);
    } else if (revocationId !== undefined && expiresAt !== undefined) {
      await blacklist.add(tx, { id: revocationId, expiresAt }, call.deadline);
    }
  }
}
