// The audience of an access token (RFC 8707). Pure.
import { ServiceError } from '../../../platform/errors.ts';
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
