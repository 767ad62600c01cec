// The rules of an application's fields beyond those of the proto. Pure.
import { BUILT_IN_PERMISSION, NOT_A_PERMISSION } from '../../../platform/formats/names.ts';
import { decodeBase64 } from '../../../platform/formats/base64.ts';
import type { RequestViolations } from '../../../platform/rpc/request-violations.ts';
import type { DefinitionsReader } from '../../access/roles/definitions.ts';
import type { Application } from './application.ts';
import { findKeySetProblem } from './key-set.ts';
import { findRedirectUriProblem, isLoopback } from './redirect-uri.ts';

/** What the settings say about applications. */
export interface ApplicationRules {
  readonly issuer: string;
  /** The algorithm of access tokens. */
  readonly algorithm: string;
  /** Whether plain HTTP to this machine is accepted where it is not for browsers. */
  readonly acceptsLocalHttp: boolean;
  /** Returns why the service will not send requests to a URL. */
  readonly findUrlProblem: (url: string, requireTls: boolean) => string | undefined;
  readonly permissionNamed: DefinitionsReader['permissionNamed'];
}

type CheckedFields = Pick<
  Application,
  | 'type'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'homeUrl'
  | 'resources'
  | 'requirePkce'
  | 'jwks'
  | 'idTokenAlgorithm'
  | 'requiredPermission'
  | 'deviceGrant'
>;

/** Characters that need no encoding in a form or a URL (RFC 3986 section 2.3). */
const UNRESERVED = /^[A-Za-z0-9._~-]+$/;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const MAX_LOGO_BYTES = 32_768;
/** In width and in height. A browser needs four bytes for each pixel, and a small file can have very many. */
const MAX_LOGO_PIXELS = 2_048;

/**
 * Adds what is wrong with the fields of an application, as it would be stored.
 *
 * @param changes The fields that a change names. The others stay as they are, even if the settings no longer allow them.
 */
export function checkApplication(
  fields: CheckedFields,
  rules: ApplicationRules,
  violations: RequestViolations,
  changes: Partial<CheckedFields> = fields,
): void {
  const refuse = (message: string, format: string, name: keyof CheckedFields, ...more: string[]) => {
    const isChanged = name in changes || (name === 'redirectUris' && 'deviceGrant' in changes);
    if (isChanged) violations.add({ message, format, props: [name, ...more] });
  };
  const { type, redirectUris, backchannelLogoutUri, homeUrl, resources, jwks } = fields;
  for (const name of ['redirectUris', 'postLogoutRedirectUris'] as const) {
    for (const [index, uri] of fields[name].entries()) {
      const problem = findRedirectUriProblem(uri, type);
      if (problem !== undefined) refuse(problem, 'url', name, `${index}`);
    }
  }
  if (redirectUris.length === 0 && !fields.deviceGrant) refuse('is required', 'required', 'redirectUris');
  const logout = backchannelLogoutUri === undefined ? undefined : findLogoutUriProblem(backchannelLogoutUri, rules);
  if (logout !== undefined) refuse(logout, 'url', 'backchannelLogoutUri');
  if (homeUrl !== undefined && !isWebUrl(homeUrl)) refuse('must be an http or https URL', 'url', 'homeUrl');
  for (const [index, resource] of resources.entries())
    if (resource === rules.issuer) refuse('must not be the issuer', 'resource', 'resources', `${index}`);
  // Own permissions are declared by being used.
  const { requiredPermission = '' } = fields;
  if (BUILT_IN_PERMISSION.test(requiredPermission) && rules.permissionNamed(requiredPermission) === undefined)
    refuse(NOT_A_PERMISSION, 'permission', 'requiredPermission');
  if (!fields.requirePkce && type !== 'WEB') refuse('must be true unless the type is WEB', 'pkce', 'requirePkce');
  if (jwks !== undefined) {
    const problem = type === 'WEB' ? findKeySetProblem(jwks) : 'only a WEB application has keys';
    if (problem !== undefined) refuse(problem, 'jwks', 'jwks');
  }
  if (fields.idTokenAlgorithm === 'ES256' && rules.algorithm !== 'ES256')
    refuse('must be RS256, because access tokens are not signed by ES256', 'algorithm', 'idTokenAlgorithm');
}

/** Adds a violation if a client id has a character that some clients would not encode. */
export function checkClientId(clientId: string | undefined, violations: RequestViolations): void {
  if (clientId === undefined || UNRESERVED.test(clientId)) return;
  const message = 'must consist of letters, digits, hyphens, full stops, underscores and tildes';
  violations.add({ message, format: 'clientId', props: ['clientId'] });
}

/** Returns the bytes of a logo. Adds a violation unless they are a small PNG. */
export function readLogo(base64: string | undefined, violations: RequestViolations): Buffer | undefined {
  if (base64 === undefined) return undefined;
  const bytes = decodeBase64(base64, 'base64');
  if (bytes && isSmallPng(bytes)) return bytes;
  const message = `must be a PNG of at most ${MAX_LOGO_BYTES} bytes and ${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS} pixels in base64`;
  violations.add({ message, format: 'png', props: ['logo'] });
  return undefined;
}

function isSmallPng(bytes: Buffer): boolean {
  if (bytes.length > MAX_LOGO_BYTES || !bytes.subarray(0, PNG.length).equals(PNG)) return false;
  // A PNG without this header at its beginning is not shown.
  const hasSize = bytes.length >= 24 && bytes.toString('latin1', 12, 16) === 'IHDR';
  return !hasSize || Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) <= MAX_LOGO_PIXELS;
}

function findLogoutUriProblem(uri: string, { acceptsLocalHttp, findUrlProblem }: ApplicationRules): string | undefined {
  const url = isWebUrl(uri) ? URL.parse(uri) : null;
  if (!url || /[#\\]/.test(uri) || /^[^/]*\/\/[^/?]*@/.test(uri))
    return 'must be an absolute https URL without a fragment, a backslash and user information';
  const isLocal = acceptsLocalHttp && isLoopback(url);
  return url.protocol === 'http:' && !isLocal ? 'must be https' : findUrlProblem(uri, !isLocal);
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^/?#]/i.test(text) && URL.canParse(text);
}
