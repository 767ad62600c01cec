import type { Settings } from '../config/settings.ts';
import { openSessionForms } from '../session/open-session-forms.ts';
import type { SessionForms } from '../session/session-form.ts';
import { createAccessTokens, type AccessTokens } from '../token/access-token.ts';
import { BLACKLIST_CLEAN_UP, createBlacklist, type Blacklist } from '../token/blacklist.ts';
import { SIGNING_KEYS_CLEAN_UP } from '../token/key-store.ts';
import { resealKeys } from '../token/reseal-keys.ts';
import { openSigningKeys, type SigningKeys } from '../token/signing-keys.ts';
import { openKeyEncryption } from './open-key-encryption.ts';
import type { Foundation, Part } from './part.ts';

export interface Tokens extends Part {
  readonly forms: SessionForms;
  readonly keys: SigningKeys;
  readonly tokens: AccessTokens;
  readonly blacklist: Blacklist;
}

/** Access tokens, refresh tokens and their keys, which are read from the database or made. */
export async function createTokens({ settings, database, clock, log }: Foundation): Promise<Tokens> {
  const encryption = openKeyEncryption(settings);
  const issuer = settings['app.security.jwt.issuer'];
  await resealKeys({ database, encryption, log });
  const policy = {
    cookie: refreshCookie(settings),
    rotationMode: settings['app.security.refresh-session.rotation-mode'],
    accessTokenTtlMs: settings['app.security.access-token-ttl'],
    idleWindowMs: settings['app.security.refresh-session.idle-window'],
    browserIdleWindowMs: settings['app.security.refresh-session.browser-idle-window'],
    absoluteLifetimeMs: settings['app.security.refresh-session.absolute-lifetime'],
  };
  const forms = await openSessionForms({ database, encryption, clock, policy, issuer });
  const keys = await openSigningKeys({
    database,
    encryption,
    algorithm: settings['app.security.jwt.algorithm'],
    longestTokenMs: longestTokenMs(settings, forms),
    clock,
    log,
  });
  const audience = settings['app.security.jwt.audience'];
  const clientId = settings['app.security.jwt.client-id'];
  return {
    forms,
    keys,
    tokens: createAccessTokens({ keys, clock, issuer, audience, clientId }),
    blacklist: createBlacklist(database),
    cleanUpTargets: [BLACKLIST_CLEAN_UP, SIGNING_KEYS_CLEAN_UP],
  };
}

/** The refresh cookie, as the settings name it. */
export function refreshCookie(settings: Settings) {
  return {
    name: settings['app.security.refresh-session.cookie-name'],
    perOrigin: settings['app.security.refresh-session.cookie-per-origin'],
  };
}

function longestTokenMs(settings: Settings, forms: SessionForms): number {
  const ofSessions = Object.values(forms).map((form) => form.accessTokenTtlMs);
  return Math.max(...ofSessions, settings['app.security.m2m.access-token-ttl']);
}
