import { pagePath } from '../../service.ts';

/** Returns a command that gets an access token with a client secret (RFC 6749 section 4.4). */
export function tokenCommand(clientId: string, secret: string): string {
  const url = location.origin + pagePath('/api/v1/auth/token');
  return `curl -u '${clientId}:${secret}' -d grant_type=client_credentials ${url}`;
}
