// This service as an OpenID provider, with what only it has: administrators, a second process, settings.
import { randomUUID } from 'node:crypto';
import { beforeAll, afterAll } from 'vitest';
import { PASSWORD, seedAccount, type Seed } from '../accounts.ts';
import { API, caller, callerWith, type Caller } from '../callers.ts';
import { deploy, type Deployment, type DeploymentOptions } from '../deployment.ts';
import { bearer, restClient, type RestResponse } from '../rest-client.ts';
import { seedSession } from '../sessions.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { openBrowser } from './browser.ts';
import { CALLBACK, partyOf, type Party } from './party.ts';
import { newSigningKey, publicJwk } from './signing-key.ts';
import type { Browser, Client, ClientFields, Metadata, Pages, Provider, SigningKey, User } from './provider.ts';

export const ISSUER = 'https://login.example.com';
export const REQUESTS = '/auth/oauth2/requests';

/** A user of a tenant. */
export interface ServiceUser extends User {
  readonly account: Account;
}

/** A client, and the application of the service. */
export interface Application extends Client {
  readonly applicationId: string;
}

/** Fields of applications: docs of POST /applications. */
export type ApplicationFields = Readonly<Record<string, unknown>>;

export interface Service extends Provider {
  readonly deployment: Deployment;
  /** A SUPER_ADMIN with a new session. */
  root(): Promise<Caller>;
  /** An ADMIN of a tenant, by default acme, with a new session. */
  admin(tenantId?: string): Promise<Caller>;
  user(seed?: Seed): Promise<ServiceUser>;
  register(fields?: ClientFields, more?: ApplicationFields): Promise<Application>;
  /** Registers an application, by a SUPER_ADMIN where `firstParty` or `resources` need one. Default: WEB of the tenant acme. */
  party(fields?: ApplicationFields): Promise<ServiceParty>;
  /** A further process with the same database and clock. */
  beside(options?: Partial<DeploymentOptions>): Promise<Service>;
}

export type ServiceParty = Party & { readonly client: Application; at(other: Service): ServiceParty };

/** Opens a service before the tests of a block, and closes it after them. */
export function openedService(options: DeploymentOptions): Service {
  const opened = {} as Service;
  beforeAll(async () => void Object.assign(opened, await openService(options)));
  afterAll(() => opened.close?.());
  return opened;
}

/** Opens a service, and a process beside it, before the tests of a block. */
export function openedServices(options: DeploymentOptions): readonly [Service, Service] {
  const first = openedService(options);
  const second = {} as Service;
  beforeAll(async () => void Object.assign(second, await first.beside()));
  afterAll(() => second.close?.());
  return [first, second];
}

export async function openService(options: DeploymentOptions): Promise<Service> {
  const settings = { 'app.public-url': ISSUER, ...options.settings };
  const deployment = await deploy({ isPatient: true, ...options, settings });
  const { send } = restClient(deployment.url);
  const origin = new URL(ISSUER).origin;
  const metadata = (await send('GET', '/.well-known/openid-configuration')).body as Metadata;
  const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
  const newCaller = async (account: Account) =>
    callerWith(deployment.url, account, bearer((await seedSession(deployment, account)).accessToken));
  await seedAccount(deployment.database, { tenantId: 'acme' });

  async function create(fields: ApplicationFields, key?: SigningKey): Promise<Application> {
    const { status, body } = await (
      await newCaller(root)
    ).post('/applications', {
      name: 'Wiki',
      type: 'WEB',
      tenantId: 'acme',
      redirectUris: [CALLBACK],
      ...(key && { jwks: { keys: [publicJwk(key)] } }),
      ...fields,
    });
    if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
    const { application = body, clientSecret: secret } = body;
    const { id: applicationId, clientId: id, type, redirectUris } = application;
    const ownMethod = key ? 'private_key_jwt' : 'client_secret_basic';
    const authentication = type === 'WEB' ? ownMethod : 'none';
    return { applicationId, id, type, authentication, secret, key, redirectUri: redirectUris[0] };
  }

  const service: Service = {
    issuer: ISSUER,
    metadata,
    deployment,
    root: () => newCaller(root),
    admin: (tenantId = 'acme') => caller(deployment, { tenantId, roles: ['ADMIN'] }),
    pages: pagesOf(() => service),
    send: (method, url, init) => send(method, url.slice(origin.length), init ?? {}),
    async register({ type = 'WEB', redirectUris = [CALLBACK], authentication, requirePkce } = {}, more = {}) {
      const key = authentication === 'private_key_jwt' ? newSigningKey() : undefined;
      const fields = { type, redirectUris, ...(requirePkce !== undefined && { requirePkce }), ...more };
      const application = await create(fields, key);
      return { ...application, authentication: authentication ?? application.authentication };
    },
    party: async ({ key, ...fields } = {}) => servicePartyOf(service, await create(fields, key as SigningKey)),
    async user(seed = {}) {
      const account = await seedAccount(deployment.database, { email: `${randomUUID()}@acme.test`, ...seed });
      const { id: sub, username, name, email = '' } = account;
      return { account, sub, username, name, email };
    },
    now: () => Math.floor(deployment.clock.now() / 1000),
    advance: (milliseconds) => deployment.clock.advance(milliseconds),
    beside: (more = {}) =>
      openService({ ...options, databaseUrl: deployment.databaseUrl, clock: deployment.clock, ...more }),
    close: () => deployment.close(),
  };
  return service;
}

function servicePartyOf(service: Service, client: Application): ServiceParty {
  return { ...partyOf(service, client), client, at: (other) => servicePartyOf(other, client) };
}

/** A caller with the access token of a browser's session. */
export function callerOf({ deployment }: Service, browser: Browser): Caller {
  return callerWith(deployment.url, (browser.user as ServiceUser).account, bearer(browser.accessToken));
}

/** Opens a browser with a session of a user. */
export async function signedIn(service: Service, user: User, rememberMe = false): Promise<Browser> {
  const browser = openBrowser(service);
  await logIn(service, browser, user, rememberMe);
  return browser;
}

async function logIn(service: Service, browser: Browser, user: User, rememberMe = false): Promise<void> {
  const body = { username: user.username, password: PASSWORD, rememberMe };
  const response = await postJson(browser, `${service.issuer}${API}/auth/login`, body);
  if (response.status !== 200) throw new Error(`no login: ${response.status} ${response.text}`);
  browser.accessToken = response.body.accessToken ?? response.body.access_token;
  browser.user = user;
}

function postJson(browser: Browser, url: string, body?: unknown): Promise<RestResponse> {
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...bearer(browser.accessToken) };
  return browser.send('POST', url, { headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

/** Gets an access token for the session of the cookie. Returns false if there is none. */
async function resume(service: Service, browser: Browser): Promise<boolean> {
  browser.accessToken = undefined;
  const { status, body } = await postJson(browser, `${service.issuer}${API}/auth/refresh`);
  if (status === 200) browser.accessToken = body.accessToken;
  return status === 200;
}

/** Returns the id of an authorization request from the URL of its page. */
export function requestIdOf(url: string): string {
  const id = new URL(url, ISSUER).searchParams.get('request');
  if (id === null) throw new Error(`not the page of a request: ${url}`);
  return id;
}

/** Continues a request with the session of a browser. */
export function continueRequest(service: Service, browser: Browser, url: string, decision?: string) {
  const path = `${service.issuer}${API}${REQUESTS}/${requestIdOf(url)}`;
  return postJson(browser, path, decision === undefined ? {} : { decision });
}

/** Confirms the session of a browser with the password. */
export async function confirmSession(service: Service, browser: Browser): Promise<void> {
  const response = await postJson(browser, `${service.issuer}${API}/account/confirm`, { password: PASSWORD });
  if (response.status !== 200) throw new Error(`not confirmed: ${response.status} ${response.text}`);
  browser.accessToken = response.body.accessToken;
}

/** What the login page does: a login or the session that there is, a confirmation, a decision. */
const pagesOf = (serviceOf: () => Service): Pages => ({
  isPage: (url) => new URL(url).pathname === '/login',
  async answer(url, browser, user, decision) {
    const service = serviceOf();
    const isSame = browser.user?.sub === user.sub && (await resume(service, browser));
    if (!isSame) await logIn(service, browser, user);
    let response = await continueRequest(service, browser, url);
    for (let steps = 0; steps < 4; steps += 1) {
      const { redirectTo, consentRequired, confirmationRequired } = response.body ?? {};
      if (redirectTo !== undefined) return redirectTo;
      if (confirmationRequired !== undefined) await confirmSession(service, browser);
      else if (consentRequired === undefined && response.status !== 400) break;
      response = await continueRequest(
        service,
        browser,
        url,
        confirmationRequired === undefined ? decision : undefined,
      );
    }
    throw new Error(`the request does not go on: ${response.status} ${response.text}`);
  },
});
