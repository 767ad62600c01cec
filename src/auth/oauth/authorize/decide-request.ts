// Decides whether an authorization request is valid (OpenID Connect Core section 3.1.2.1, OAuth 2.1 section 4.1.1). Pure.
import type { Acr } from '../applications/application.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { isRegisteredUri } from '../applications/redirect-uri.ts';
import { isChallenge } from '../pkce.ts';
import { readScopes, type Scope } from '../scopes.ts';
import type { Parameters } from './parameters.ts';

export type Prompt = 'none' | 'login' | 'consent' | 'select_account';
const PROMPTS: readonly string[] = ['none', 'login', 'consent', 'select_account'] satisfies Prompt[];
const ACRS: readonly string[] = ['mfa', 'phr'] satisfies Acr[];

const MAX_STATE = 4_096;
const MAX_NONCE = 1_024;
/** Of texts that only the login page reads. */
const MAX_HINT = 320;

/** A valid request, with what later steps need of it. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  /** As it came. */
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  readonly scopes: readonly Scope[];
  readonly resource: string | undefined;
  /** The PKCE challenge; undefined only for an application that needs none. */
  readonly challenge: string | undefined;
  readonly prompt: readonly Prompt[];
  /** Seconds. */
  readonly maxAge: number | undefined;
  /** The first one that is known. */
  readonly acr: Acr | undefined;
  readonly hint: IdTokenHint | undefined;
  readonly loginHint: string | undefined;
  readonly uiLocales: string | undefined;
}

/** The account of an ID token that this service has issued to the application. The token may have expired. */
export interface IdTokenHint {
  readonly sub: string;
}

/** Why there is no redirect: the client or its URI is not known to fit, or the request cannot be read. */
export type UnknownClient = 'client' | 'redirect-uri' | 'reference';

/** Errors that are sent to the application (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6, RFC 8707 section 2). */
export type RequestError =
  | 'INVALID_REQUEST'
  | 'INVALID_TARGET'
  | 'REGISTRATION_NOT_SUPPORTED'
  | 'REQUEST_NOT_SUPPORTED'
  | 'REQUEST_URI_NOT_SUPPORTED'
  | 'UNSUPPORTED_RESPONSE_TYPE';

export type RequestDecision =
  | { readonly kind: 'page'; readonly unknown: UnknownClient }
  | {
      readonly kind: 'error';
      readonly redirectUri: string;
      readonly state: string | undefined;
      readonly error: RequestError;
      readonly description: string;
    }
  | { readonly kind: 'valid'; readonly request: AuthorizationRequest };

export interface RequestFacts {
  readonly parameters: Parameters;
  /** The application that the request names, if it is served: enabled, and its tenant is active. */
  readonly application: ClientApplication | undefined;
  /** Whether the parameters were pushed (RFC 9126). */
  readonly isPushed: boolean;
  /** Undefined without a hint; null if the hint is not an ID token for the application. */
  readonly hint: IdTokenHint | null | undefined;
}

export function decideRequest(facts: RequestFacts): RequestDecision {
  const { parameters, application } = facts;
  if (!application || parameters.isDoubled('client_id')) return { kind: 'page', unknown: 'client' };
  const redirectUri = parameters.get('redirect_uri');
  const isRegistered =
    redirectUri !== undefined &&
    !parameters.isDoubled('redirect_uri') &&
    isRegisteredUri(redirectUri, application.redirectUris, application.type);
  if (!isRegistered) return { kind: 'page', unknown: 'redirect-uri' };
  const sent = parameters.get('state');
  const isUnusable =
    parameters.malformed.includes('state') || parameters.isDoubled('state') || isLonger(sent, MAX_STATE);
  const state = isUnusable ? undefined : sent;
  const fault = CHECKS.map((check) => check(facts, application)).find((found) => found !== undefined);
  if (fault) {
    const [error, description] = fault;
    return { kind: 'error', redirectUri, state, error, description };
  }
  return { kind: 'valid', request: readRequest(facts, application, { redirectUri, state }) };
}

type Fault = readonly [error: RequestError, description: string];
type Check = (facts: RequestFacts, application: ClientApplication) => Fault | undefined;

const invalid = (description: string): Fault => ['INVALID_REQUEST', description];

/** In the order in which they are reported. */
const CHECKS: readonly Check[] = [
  ({ parameters }) => (parameters.malformed.length > 0 ? invalid('a parameter is malformed') : undefined),
  ({ parameters }) => {
    const [name] = parameters.doubled.filter((one) => one !== 'resource');
    return name === undefined ? undefined : invalid('a parameter was sent twice');
  },
  ({ parameters }) => {
    if (isLonger(parameters.get('state'), MAX_STATE)) return invalid(`state has more than ${MAX_STATE} characters`);
    if (isLonger(parameters.get('nonce'), MAX_NONCE)) return invalid(`nonce has more than ${MAX_NONCE} characters`);
    return undefined;
  },
  ({ parameters }) => refuseIfSent(parameters, 'request', 'REQUEST_NOT_SUPPORTED'),
  ({ parameters }) => refuseIfSent(parameters, 'request_uri', 'REQUEST_URI_NOT_SUPPORTED'),
  ({ parameters }) => refuseIfSent(parameters, 'registration', 'REGISTRATION_NOT_SUPPORTED'),
  ({ parameters }) => {
    const type = parameters.get('response_type');
    if (type === undefined) return invalid('response_type is missing');
    return type === 'code' ? undefined : ['UNSUPPORTED_RESPONSE_TYPE', 'response_type must be code'];
  },
  ({ parameters }) => {
    const mode = parameters.get('response_mode');
    return mode === undefined || mode === 'query' ? undefined : invalid('response_mode must be query');
  },
  ({ parameters }, { requirePkce }) => {
    const challenge = parameters.get('code_challenge');
    const method = parameters.get('code_challenge_method');
    if (challenge === undefined && method === undefined)
      return requirePkce ? invalid('code_challenge is missing') : undefined;
    if (method !== 'S256') return invalid('code_challenge_method must be S256');
    return isChallenge(challenge ?? '') ? undefined : invalid('code_challenge must be 43 characters of base64url');
  },
  ({ parameters }) => {
    const prompt = promptOf(parameters);
    if (prompt.some((one) => !PROMPTS.includes(one))) return invalid('prompt has an unknown value');
    return prompt.includes('none') && prompt.length > 1 ? invalid('prompt has none beside another value') : undefined;
  },
  ({ parameters }) =>
    /^\d+$/.test(parameters.get('max_age') ?? '0') ? undefined : invalid('max_age must be a number of seconds'),
  ({ hint }) => (hint === null ? invalid('id_token_hint is not an ID token for this application') : undefined),
  ({ isPushed }, { requirePar }) =>
    requirePar && !isPushed ? invalid('the application must push its requests (RFC 9126)') : undefined,
  ({ parameters }, { resources }) => {
    const asked = parameters.getAll('resource');
    if (asked.length > 1) return ['INVALID_TARGET', 'only one resource can be asked for'];
    const isAllowed = asked.every((resource) => resources.includes(resource));
    return isAllowed ? undefined : ['INVALID_TARGET', 'the application may not ask for this resource'];
  },
];

function refuseIfSent(parameters: Parameters, name: string, error: RequestError): Fault | undefined {
  return parameters.get(name) === undefined ? undefined : [error, `${name} is not supported`];
}

/** Whether a text has more characters, of one or two code units each. */
const isLonger = (text = '', max: number): boolean => text.length > max && [...text].length > max;

const wordsOf = (text: string | undefined): readonly string[] => (text ?? '').split(' ').filter((word) => word !== '');

const promptOf = (parameters: Parameters): readonly string[] => [...new Set(wordsOf(parameters.get('prompt')))];

function readRequest(
  { parameters, hint }: RequestFacts,
  { scopes }: ClientApplication,
  sent: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
): AuthorizationRequest {
  const maxAge = parameters.get('max_age');
  const acr = wordsOf(parameters.get('acr_values')).find((one) => ACRS.includes(one));
  return {
    ...sent,
    nonce: parameters.get('nonce'),
    scopes: readScopes(parameters.get('scope'), scopes),
    resource: parameters.get('resource'),
    challenge: parameters.get('code_challenge'),
    prompt: promptOf(parameters) as readonly Prompt[],
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
    acr: acr as Acr | undefined,
    hint: hint ?? undefined,
    loginHint: shortText(parameters.get('login_hint')),
    uiLocales: shortText(parameters.get('ui_locales')),
  };
}

/** A hint that is too long is of no use. */
const shortText = (text: string | undefined): string | undefined =>
  text === undefined || text.length > MAX_HINT ? undefined : text;
