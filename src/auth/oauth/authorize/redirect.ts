// The answers that go back to the application through the browser (RFC 6749 section 4.1.2, RFC 9207, RP-Initiated Logout 1.0). Pure.
import { formatParameters, type Parameter } from './parameters.ts';

/** Returns a redirect URI with parameters added to its query. Those without a value are left out. */
export function redirectTo(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
  { issuer }: { readonly issuer?: string } = {},
): string {
  const given = Object.entries({ ...parameters, iss: issuer }).filter(
    (parameter): parameter is [string, string] => parameter[1] !== undefined,
  ) satisfies readonly Parameter[];
  if (given.length === 0) return uri;
  const separator = uri.includes('?') ? '&' : '?';
  return `${uri}${/[?&]$/.test(uri) ? '' : separator}${formatParameters(given)}`;
}
