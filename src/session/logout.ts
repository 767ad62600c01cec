import type { LogoutRequest, LogoutResponse } from '../../proto/gen/session/v1/session_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Statements } from '../db/types.ts';
import { ServiceError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { Call } from '../rpc/types.ts';
import type { Blacklist } from '../token/blacklist.ts';
import type { RevokeFamily } from './revoke-family.ts';
import { formOf, type SessionForm, type SessionForms } from './session-form.ts';
import type { SessionFamily, SessionStore } from './session-store.ts';

export interface LogoutDependencies {
  readonly sessions: SessionStore;
  readonly forms: SessionForms;
  readonly revokeFamily: RevokeFamily;
  readonly blacklist: Blacklist;
  readonly audit: AuditLog;
  readonly cookieName: string;
}

/** SessionService.Logout: ends the session of the access token and those of the refresh credentials, at once. */
export function createLogout(options: LogoutDependencies) {
  const { sessions, forms, revokeFamily, blacklist, audit, cookieName } = options;

  return async (request: LogoutRequest, call: Call): Promise<LogoutResponse> => {
    const form = formOf(forms, request.credentialForm);
    // What an API key stands for cannot be logged out.
    const principal = call.principal?.revocationId === undefined ? undefined : call.principal;
    if (form.stored === 'BODY' && !principal) throw new ServiceError('TOKEN_MISSING');
    const families = await presentedFamilies(form, request);
    const [ended] = families;
    const { tenantId, id: accountId } = principal?.account ?? { tenantId: ended?.tenantId, id: ended?.accountId };
    if (accountId !== undefined) {
      await audit.commit(call, async (tx, record) => {
        if (principal) await revokeToken(tx, principal, call);
        for (const family of families) await revokeFamily(tx, family, 'logout', call.deadline);
        const sessionId = principal?.sessionId ?? ended?.id;
        const details = sessionId === undefined ? {} : { sessionId };
        record({ event: 'session.logged-out', tenantId, accountId, details });
      });
    }
    return { refreshCookieName: form.stored === 'COOKIE' ? cookieName : '' };
  };

  async function presentedFamilies(form: SessionForm, request: LogoutRequest): Promise<SessionFamily[]> {
    const found = await Promise.all(
      request.refreshCredentials.map(async (value) => {
        const genuine = await form.parse(value);
        return genuine && sessions.findBySelector(genuine.selector);
      }),
    );
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
