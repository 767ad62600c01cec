// A relying party by the letter of the protocols, which can also send what no library would.
import { createHash, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { expect } from 'vitest';
import { bearer, type RestResponse } from '../rest-client.ts';
import { formOf, openBrowser } from './browser.ts';
import type { Authentication, Browser, Client, ClientFields, Outcome, Provider, SigningKey, User } from './provider.ts';

export const CALLBACK = 'https://app.example.com/callback';

/** Parameters to add, replace, repeat (a list), or leave out (undefined). */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An authorization request. */
export interface AuthorizationRequest {
  readonly parameters: URLSearchParams;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A code, and what it is redeemed with. */
export interface Authorized extends AuthorizationRequest {
  readonly code: string;
  readonly callback: URLSearchParams;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
  readonly claims: JWTPayload;
  readonly response: RestResponse;
}

export const CHALLENGE_OF = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Requests without PKCE. */
export const WITHOUT_PKCE = { code_challenge: undefined, code_challenge_method: undefined } as const;

export type Party = ReturnType<typeof partyOf>;

/** Registers a client. */
export async function createParty(provider: Provider, fields: ClientFields = {}): Promise<Party> {
  return partyOf(provider, await provider.register(fields));
}

export function partyOf(provider: Provider, client: Client) {
  const { metadata } = provider;

  function request(more: Parameters = {}): AuthorizationRequest {
    const [state, nonce, verifier] = [random(), random(), random()];
    const parameters = toForm({
      client_id: client.id,
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state,
      nonce,
      code_challenge: CHALLENGE_OF(verifier),
      code_challenge_method: 'S256',
      ...more,
    });
    return { parameters, state, nonce, verifier };
  }

  const urlOf = ({ parameters }: Pick<AuthorizationRequest, 'parameters'>) =>
    `${metadata['authorization_endpoint']}?${parameters.toString()}`;

  /** Sends an authorization request. */
  async function authorize(
    browser: Browser,
    more: Parameters = {},
    method: 'GET' | 'POST' = 'GET',
  ): Promise<Outcome & { readonly request: AuthorizationRequest }> {
    const sent = request(more);
    const outcome =
      method === 'GET'
        ? await browser.visit(urlOf(sent))
        : await browser.visit(metadata['authorization_endpoint'], formOf(sent.parameters));
    return { ...outcome, request: sent };
  }

  /** Gets a code, with the pages that this takes. */
  async function signIn(browser: Browser, user: User, more: Parameters = {}): Promise<Authorized> {
    const { request: sent, ...outcome } = await authorize(browser, more);
    return authorizedBy(await browser.finish(outcome, user), sent);
  }

  /** Sends a token request, authenticated unless the authentication is null. */
  async function token(
    form: Parameters,
    authentication: Authentication | null = client.authentication,
    url: string = metadata['token_endpoint'],
  ): Promise<RestResponse> {
    const own = authentication === null ? { form: {}, headers: {} } : await authenticationOf(authentication);
    const { headers, ...sent } = formOf(toForm({ ...own.form, ...form }));
    return provider.send('POST', url, { ...sent, headers: { ...headers, ...own.headers } });
  }

  async function authenticationOf(authentication: Authentication) {
    const secret = client.secret ?? '';
    switch (authentication) {
      case 'client_secret_basic':
        return { form: {}, headers: { authorization: basic(client.id, secret) } };
      case 'client_secret_post':
        return { form: { client_id: client.id, client_secret: secret }, headers: {} };
      case 'private_key_jwt':
        return {
          form: { client_assertion_type: ASSERTION_TYPE, client_assertion: await assertion() },
          headers: {},
        };
      case 'none':
        return { form: { client_id: client.id }, headers: {} };
    }
  }

  /** Signs an assertion (RFC 7523 section 2.2). */
  function assertion(changes: Readonly<Record<string, unknown>> = {}, key: SigningKey = client.key!): Promise<string> {
    const iat = provider.now();
    const claims = { iss: client.id, sub: client.id, aud: provider.issuer, iat, exp: iat + 60, jti: randomUUID() };
    return new SignJWT(withoutUndefined({ ...claims, ...changes }))
      .setProtectedHeader({ alg: 'ES256', kid: key.kid })
      .sign(key.privateKey);
  }

  const redeem = (authorized: Authorized, more: Parameters = {}, authentication?: Authentication | null) =>
    token(
      {
        grant_type: 'authorization_code',
        code: authorized.code,
        redirect_uri: authorized.parameters.get('redirect_uri')!,
        code_verifier: authorized.parameters.has('code_challenge') ? authorized.verifier : undefined,
        ...more,
      },
      authentication,
    );

  const refresh = (refreshToken: string, more: Parameters = {}, authentication?: Authentication | null) =>
    token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more }, authentication);

  const userinfo = (accessToken?: string) =>
    provider.send('GET', metadata['userinfo_endpoint'], { headers: bearer(accessToken) });

  /** Reads the tokens of a response, and checks the ID token as a client must (OpenID Connect Core section 3.1.3.7). */
  async function tokensOf(response: RestResponse, nonce?: string): Promise<Tokens> {
    const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken } = response.body ?? {};
    if (response.status !== 200) throw new Error(`no tokens: ${response.status} ${response.text}`);
    const claims = idToken === undefined ? {} : await verifyIdToken(idToken);
    if (nonce !== undefined) expect(claims['nonce']).toBe(nonce);
    return { accessToken, refreshToken, idToken, claims, response };
  }

  async function verifyIdToken(idToken: string): Promise<JWTPayload> {
    const keys = await provider.send('GET', metadata['jwks_uri']);
    const { payload } = await jwtVerify(idToken, createLocalJWKSet(keys.body), {
      issuer: provider.issuer,
      audience: client.id,
      currentDate: new Date(provider.now() * 1000),
    });
    return payload;
  }

  /** Gets tokens, with the pages that this takes. */
  async function logIn(browser: Browser, user: User, more: Parameters = {}): Promise<Tokens & Authorized> {
    const authorized = await signIn(browser, user, more);
    const nonce = authorized.parameters.get('nonce') ?? undefined;
    const isOpenid = authorized.parameters.get('scope')?.includes('openid') ?? false;
    return { ...authorized, ...(await tokensOf(await redeem(authorized), isOpenid ? nonce : undefined)) };
  }

  return {
    provider,
    client,
    request,
    urlOf,
    authorize,
    signIn,
    logIn,
    token,
    assertion,
    redeem,
    refresh,
    userinfo,
    tokensOf,
    verifyIdToken,
  };
}

/** A user, and a browser that has a session of this user and the consent for a party. */
export async function someoneAt(party: Party, more: Parameters = {}) {
  const { provider } = party;
  const user = await provider.user();
  const browser = openBrowser(provider);
  return { user, browser, tokens: await party.logIn(browser, user, more) };
}

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** An Authorization header (RFC 6749 section 2.3.1). */
export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
}

export function toForm(parameters: Parameters): URLSearchParams {
  return new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one) => [name, one]),
    ),
  );
}

/** Returns the code of a callback. Throws if there is none. */
export function authorizedBy(outcome: Outcome, request: AuthorizationRequest): Authorized {
  const code = outcome.kind === 'callback' ? outcome.parameters.get('code') : undefined;
  if (outcome.kind !== 'callback' || !code) throw new Error(`no code: ${describeOutcome(outcome)}`);
  return { ...request, code, callback: outcome.parameters };
}

export function describeOutcome(outcome: Outcome): string {
  if (outcome.kind === 'callback') return `callback ${outcome.location}`;
  if (outcome.kind === 'page') return `page ${outcome.url}`;
  return `${outcome.response.status} ${outcome.response.text.slice(0, 500)}`;
}

/** Expects that the client gets an error. */
export function expectError(outcome: Outcome, error: string, state?: string | null): void {
  expect(describeOutcome(outcome)).toContain(`error=${error}`);
  if (outcome.kind !== 'callback') return;
  expect(outcome.parameters.get('error')).toBe(error);
  expect(outcome.parameters.has('code')).toBe(false);
  if (state !== undefined) expect(outcome.parameters.get('state')).toBe(state);
}

/** Expects a page with an error, and no redirect. */
export function expectErrorPage(outcome: Outcome): void {
  expect(describeOutcome(outcome)).toMatch(/^400 /);
  if (outcome.kind !== 'error-page') return;
  expect(outcome.response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(outcome.response.headers.has('location')).toBe(false);
}

/** Expects an error of the token endpoint (RFC 6749 section 5.2). */
export function expectTokenError({ status, body, headers }: RestResponse, error: string, code = 400): void {
  expect([status, body?.error]).toEqual([code, error]);
  expect(headers.get('cache-control')).toBe('no-store');
}

export const random = (): string => randomBytes(32).toString('base64url');

export type { KeyObject };

function withoutUndefined(claims: Readonly<Record<string, unknown>>): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
