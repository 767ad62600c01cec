// Examples of logins and sessions.
import { KeyServiceService } from '../../../proto/gen/authservice/key/v1/key_service.ts';
import { FactorMethod } from '../../../proto/gen/authservice/session/v1/login_challenge.ts';
import {
  RefreshTokenTransport,
  RequestOrigin,
  SessionServiceService,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { examplesOf } from '../example.ts';
import { hidden, WHOLE_PAGE } from '../probe-case.ts';
import { emailOf, type Records } from '../records.ts';
import { PASSKEY, PASSWORD, TOKEN, TOTP } from './values.ts';

const BY_PASSWORD = 'takes a username and a password';
const BY_PASSKEY = 'authenticates by a passkey';
const BY_CHALLENGE = 'takes the challenge of a login';
const FOR_ALL = 'the same for all callers';
const IN_COOKIE = { refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE };

const ofUser = ({ user }: Records) => ({ userId: user });
const ofSession = ({ session }: Records) => ({ sessionId: session });

const signingKeys = {
  listSigningKeys: () => ({}),
  rotateSigningKey: () => ({}),
  getJsonWebKeySet: { request: () => ({}), notApplicable: FOR_ALL },
};

export const KEYS = examplesOf(KeyServiceService, {
  ...signingKeys,
  // No key has it. A key of the service must not be revoked by a check.
  revokeSigningKey: () => ({ kid: 'isolation' }),
});

export const SESSION = examplesOf(SessionServiceService, {
  login: {
    request: ({ mark }) => ({ username: emailOf(mark), password: PASSWORD, rememberMe: false, ...IN_COOKIE }),
    notApplicable: BY_PASSWORD,
  },
  completeLogin: {
    request: () => ({ challenge: TOKEN, proof: { $case: 'totp' as const, value: TOTP }, ...IN_COOKIE }),
    notApplicable: BY_CHALLENGE,
  },
  changeTemporaryPassword: {
    request: () => ({ challenge: TOKEN, newPassword: PASSWORD, ...IN_COOKIE }),
    notApplicable: BY_CHALLENGE,
  },
  startEnrolment: {
    request: () => ({ challenge: TOKEN, method: FactorMethod.FACTOR_METHOD_TOTP, ...IN_COOKIE }),
    notApplicable: BY_CHALLENGE,
  },
  createSecondFactorPasskeyOptions: {
    request: () => ({ challenge: TOKEN, ...IN_COOKIE }),
    notApplicable: BY_CHALLENGE,
  },
  createPasskeyLoginOptions: { request: () => ({}), notApplicable: BY_PASSKEY },
  loginWithPasskey: {
    request: () => ({ challenge: TOKEN, passkey: PASSKEY, rememberMe: false, ...IN_COOKIE }),
    notApplicable: BY_PASSKEY,
  },
  refresh: {
    request: () => ({ refreshTokens: [TOKEN], origin: RequestOrigin.REQUEST_ORIGIN_OWN, ...IN_COOKIE }),
    notApplicable: 'takes a refresh token',
  },
  logout: {
    request: () => ({ refreshTokens: [TOKEN], ...IN_COOKIE }),
    notApplicable: "ends the caller's own session",
  },
  confirmSession: {
    request: () => ({ proof: { $case: 'password' as const, value: PASSWORD } }),
    notApplicable: "confirms the caller's own session",
  },
  createConfirmationPasskeyOptions: {
    request: () => ({}),
    notApplicable: "creates options for the caller's own session",
  },
  listMySessions: () => WHOLE_PAGE,
  listSessions: { request: () => WHOLE_PAGE, filters: [ofUser], exact: ['address', 'userAgent'] },
  getSession: ofSession,
  listUserSessions: ofUser,
  revokeMySession: ofSession,
  revokeMyOtherSessions: { request: () => ({}), notApplicable: "ends the caller's own sessions" },
  revokeSession: { request: (records) => ({ ...ofUser(records), ...ofSession(records) }), more: [hidden(ofSession)] },
  revokeUserSessions: ofUser,
  revokeTenantSessions: ({ tenant }) => ({ tenantId: tenant }),
  streamRevocations: () => ({}),
  getLoginOptions: { request: () => ({}), notApplicable: FOR_ALL },
  ...signingKeys,
  getAuthorizationServerMetadata: { request: () => ({}), notApplicable: FOR_ALL },
});
