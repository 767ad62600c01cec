import type { Policy } from '../auth/access/policy/policy-fields.ts';
import type { Settings } from '../platform/config/settings.ts';

/** Returns the values of the settings that tenants can make stricter. */
export function servicePolicy(settings: Settings): Policy {
  const absoluteLifetime = settings['app.security.refresh-session.absolute-lifetime'];
  return {
    passwordMinLength: settings['app.security.password.min-length'],
    accessTokenTtl: settings['app.security.access-token-ttl'] / 1000,
    sessionIdleWindow: settings['app.security.refresh-session.idle-window'] / 1000,
    sessionAbsoluteLifetime: absoluteLifetime === undefined ? undefined : absoluteLifetime / 1000,
    sessionsPerAccount: settings['app.security.sessions-per-account'],
    lockMaxFailures: settings['app.security.lockout.max-failures'],
    lockDuration: settings['app.security.lockout.duration'] / 1000,
    allowedOrigins: settings['app.http.cors.allowed-origins'],
    freshSession: settings['app.security.fresh-session'] / 1000,
    recovery: true,
    language: 'en',
    secondFactor: settings['app.security.second-factor'],
    passkeyLogin: true,
    sharedApplications: true,
  };
}
