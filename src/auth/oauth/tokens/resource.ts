// The audience of an access token (RFC 8707). Pure.
import { ServiceError } from '../../../platform/errors.ts';
import { finding, type Finding } from '../../access/findings.ts';
import type { AccessTokenClaims } from '../../token/access-token.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';

/** Of a device (RFC 8628) without a resource: it can ask for none later either. */
export const NO_RESOURCE = '';

/**
 * Returns the resource of a token request: the granted one, or one that the application may ask for if none was granted. Throws
 * INVALID_TARGET.
 */
export function resourceOf(
  asked: string | undefined,
  granted: string | undefined,
  { resources }: Pick<ClientApplication, 'resources'>,
): string | undefined {
  const resource = asked || granted;
  if (!resource) return undefined;
  const isAllowed = resources.includes(resource) && (granted === undefined || granted === resource);
  if (!isAllowed) throw new ServiceError('INVALID_TARGET', { detail: 'the application may not ask for this resource' });
  return resource;
}

/** Returns why an application refuses an access token: it may no longer ask for the token's audience. Undefined if it does not. */
export function findAudienceRefusal(
  { aud, iss }: Pick<AccessTokenClaims, 'aud' | 'iss'>,
  { clientId, resources }: Pick<ClientApplication, 'clientId' | 'resources'>,
): Finding | undefined {
  return aud === iss || (aud !== undefined && resources.includes(aud))
    ? undefined
    : finding('APPLICATION_LACKS_AUDIENCE', { clientId });
}
