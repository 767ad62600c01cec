// Sessions of users: login, refresh, logout, lists and revocation.
// Decides: whether a login opens a session, or which second factor it needs first (`login`); whether a refresh advances, keeps or ends a
// session (`decideRotation`); what ends together (`revocation`); how a refresh token travels: cookie or body (`transport`).
// States: a session is open at a generation, until it is revoked, or over its idle or absolute time. A rotation is written, or
// settled as won or lost if the database's response was lost.
// Tables: login_clients, session_families, session_limits, settled_rotations.
// Routes: /auth/{options, login, password-change, second-factor, second-factor/enrolment, second-factor/passkey-options, passkey, passkey/options, refresh,
// logout, revocations}, /sessions, /sessions/:sessionId, /account/sessions, /account/sessions/:sessionId, /account/confirm, /account/confirm/passkey-options,
// /users/:userId/sessions, /users/:userId/sessions/:sessionId, /tenants/:tenantId/sessions/end, /.well-known/{oauth-authorization-server, openid-configuration}.
import { SessionServiceService } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import type { KeyHandlers } from '../keys/service.ts';
import { createGetAuthorizationServerMetadata, type MetadataDependencies } from './authorization-server-metadata.ts';
import { sessionListHandlers, type ListSessionsDependencies } from './list-sessions.ts';
import { confirmSessionHandlers, type ConfirmSessionDependencies } from './confirm-session.ts';
import {
  createChangeTemporaryPassword,
  type ChangeTemporaryPasswordDependencies,
} from './login/change-temporary-password.ts';
import { createCompleteLogin, type CompleteLoginDependencies } from './login/complete-login.ts';
import type { ProofCounts } from './login/count-answers.ts';
import { createGetLoginOptions, type LoginOptionsDependencies } from './login/get-login-options.ts';
import { createLogin, type LoginDependencies } from './login/login.ts';
import { createStartEnrolment, type StartEnrolmentDependencies } from './login/start-enrolment.ts';
import { passkeyLoginHandlers, type PasskeyLoginDependencies } from './login/login-with-passkey.ts';
import {
  createSecondFactorPasskeyOptions,
  type SecondFactorPasskeyDependencies,
} from './login/second-factor-passkey.ts';
import { createLogout, type LogoutDependencies } from './revocation/logout.ts';
import { createRefresh, type RefreshDependencies } from './refresh-session.ts';
import { createStreamRevocations, type StreamRevocationsDependencies } from './revocation/stream-revocations.ts';
import {
  createRevokeTenantSessions,
  type RevokeTenantSessionsDependencies,
} from './revocation/revoke-tenant-sessions.ts';
import { revocationHandlers, type RevokeSessionDependencies } from './revocation/revoke-sessions.ts';

type SessionDependencies = LoginDependencies &
  ChangeTemporaryPasswordDependencies &
  ConfirmSessionDependencies &
  CompleteLoginDependencies &
  StartEnrolmentDependencies &
  SecondFactorPasskeyDependencies &
  PasskeyLoginDependencies &
  MetadataDependencies &
  LoginOptionsDependencies &
  RefreshDependencies &
  LogoutDependencies &
  ListSessionsDependencies &
  RevokeSessionDependencies &
  RevokeTenantSessionsDependencies &
  StreamRevocationsDependencies & { readonly answerCounts: Pick<ProofCounts, 'counted'> };

export function sessionService(
  dependencies: SessionDependencies,
  /** The deprecated RPCs, which KeyService has. */
  keyHandlers: KeyHandlers,
): Service<Principal> {
  return implement(
    SessionServiceService,
    {
      login: createLogin(dependencies),
      completeLogin: dependencies.answerCounts.counted(createCompleteLogin(dependencies)),
      changeTemporaryPassword: createChangeTemporaryPassword(dependencies),
      startEnrolment: createStartEnrolment(dependencies),
      createSecondFactorPasskeyOptions: createSecondFactorPasskeyOptions(dependencies),
      ...passkeyLoginHandlers(dependencies),
      refresh: createRefresh(dependencies),
      logout: createLogout(dependencies),
      ...confirmSessionHandlers(dependencies),
      ...sessionListHandlers(dependencies),
      ...revocationHandlers(dependencies),
      revokeTenantSessions: createRevokeTenantSessions(dependencies),
      streamRevocations: createStreamRevocations(dependencies),
      getAuthorizationServerMetadata: createGetAuthorizationServerMetadata(dependencies),
      getLoginOptions: createGetLoginOptions(dependencies),
      ...keyHandlers,
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
