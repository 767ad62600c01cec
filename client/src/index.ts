// The package without the operations, which are in `authservice-client/operations`.
import { profileA } from './profile-a.ts';
import { pageLocation, resolveBaseUrl } from './caller.ts';
import { createSession, type Session, type SessionOptions } from './session.ts';
import { memoryStore, profileB, type RefreshTokenStore } from './profile-b.ts';

/** A session whose refresh token is an HttpOnly cookie (Profile A). */
export function createCookieSession(options: SessionOptions = {}): Session {
  const page = pageLocation();
  const service = resolveBaseUrl(options.baseUrl);
  if (page && page.origin !== service?.origin) {
    void import('./same-site.ts').then(({ warnOfOtherSite }) => warnOfOtherSite(page, service)).catch(() => undefined);
  }
  return createSession(profileA, options);
}

export interface TokenSessionOptions extends SessionOptions {
  /** Store of the refresh token. Default: in memory. */
  readonly store?: RefreshTokenStore;
}

/** A session whose refresh token is in the body (Profile B). */
export function createTokenSession({ store = memoryStore(), ...options }: TokenSessionOptions = {}): Session {
  return createSession(profileB(store), options);
}

export { ApiError, type ClientCode, type Violation } from './api-error.ts';
export type { SessionUser } from './access-token.ts';
export { createAnonymousCaller, type Caller, type CallerOptions, type CallInit } from './caller.ts';
export type { FactorMethod, FactorStep, LoginStep, PasswordStep, SessionStep } from './login-step.ts';
export type { Credentials, PasskeyCredentials, SecondFactor } from './profile.ts';
export type { Session, SessionOptions } from './session.ts';
export type { SessionSnapshot } from './session-state.ts';
export { localStorageStore, memoryStore, type RefreshTokenStore } from './profile-b.ts';
export { createApiKeyCaller } from './api-key.ts';
export { createMachineClient, type ClientCredentialsOptions, type MachineClient } from './client-credentials.ts';
export { items, pages, readPage, type Page } from './pages.ts';
export { withProgress, type UploadProgress } from './upload-progress.ts';
