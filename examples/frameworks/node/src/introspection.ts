// snippet:start introspection
import { allowInsecureRequests, type Configuration, discovery, tokenIntrospection } from 'openid-client';
import type { Caller, Check } from './access-token.ts';

/** Asks the auth service about every token (RFC 7662), so a logout takes effect at once. */
export function byIntrospection(issuer: string, clientId: string, clientSecret: string): Check {
  const url = new URL(issuer);
  // Plain HTTP is for an auth service on this machine only.
  const execute = url.protocol === 'http:' ? [allowInsecureRequests] : [];
  let found: Promise<Configuration> | undefined;

  /** Reads the metadata with the first token, not at the start, until the auth service responds. */
  const configuration = () =>
    (found ??= discovery(url, clientId, clientSecret, undefined, { execute }).catch((error) => {
      found = undefined;
      throw error;
    }));

  return async (token) => {
    const answer = await tokenIntrospection(await configuration(), token);
    return answer.active ? (answer as unknown as Caller) : undefined;
  };
}
// snippet:end
