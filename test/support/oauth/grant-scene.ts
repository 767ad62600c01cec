// An account with two applications at two processes: carries out the operations of the model of grants.
import { randomUUID } from 'node:crypto';
import { seedAccount, PASSWORD } from '../accounts.ts';
import { untilServed } from '../at-once.ts';
import { API, type Caller } from '../callers.ts';
import { bearer, type RestResponse } from '../rest-client.ts';
import { seedSession, type SeededSession } from '../sessions.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { TIMES, TYPES, type Operation, type Outcome } from './grant-model.ts';
import type { Authorized } from './party.ts';
import { random } from './party.ts';
import { REQUESTS, requestIdOf, type Service, type ServiceParty } from './service.ts';

/** An access token, and when it ends by itself. Unix milliseconds. */
interface AccessToken {
  readonly text: string;
  readonly expiresAt: number;
}

/** What the client of a grant has. */
export interface Held {
  readonly party: number;
  readonly authorized: Authorized;
  /** Refresh tokens by generation. */
  readonly refresh: Map<number, string>;
  readonly access: AccessToken[];
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Opens a scene with a new account and new applications, in a tenant of their own: a tenant has a limit of applications. */
export async function openScene(services: readonly [Service, Service]) {
  const [first] = services;
  const { deployment } = first;
  const tenantId = `scene-${randomUUID()}`;
  const account = await seedAccount(deployment.database, { tenantId });
  const parties = await Promise.all(TYPES.map((type) => first.party({ type, tenantId, ...TIMES })));
  const sessions = new Map<number, SeededSession>();
  const held = new Map<number, Held>();
  // Tokens end at full seconds.
  first.advance(1000 - (deployment.clock.now() % 1000));

  const partyAt = (party: number, at: number) => parties[party]!.at(services[at]!);
  const doers = doersOf({ services, account, sessions, held, partyAt, now: deployment.clock.now });
  return {
    account,
    parties,
    sessions,
    held,
    partyAt,
    now: deployment.clock.now,
    advance: first.advance,
    /** Carries out an operation at one of the processes. */
    perform: (operation: Operation, at: number): Promise<Outcome> =>
      (doers[operation.kind] as Doer<Operation['kind']>)(operation, at),
    /** Whether an access token is accepted at a process. */
    accepts: async (party: number, { text }: AccessToken, at: number): Promise<boolean> => {
      const { status } = await untilServed(() => partyAt(party, at).userinfo(text));
      if (status !== 200 && status !== 401) throw new Error(`userinfo: ${status}`);
      return status === 200;
    },
  };
}

type Doer<Kind extends Operation['kind']> = (
  operation: Extract<Operation, { readonly kind: Kind }>,
  at: number,
) => Promise<Outcome>;

interface Doing {
  readonly services: readonly [Service, Service];
  readonly account: Account;
  readonly sessions: Map<number, SeededSession>;
  readonly held: Map<number, Held>;
  readonly partyAt: (party: number, at: number) => ServiceParty;
  readonly now: () => number;
}

function doersOf({ services, account, sessions, held, partyAt, now }: Doing) {
  const user = `/users/${account.id}`;
  const ends = {
    password: (admin: Caller) => admin.put(`${user}/password`, { password: PASSWORD }),
    async disable(admin: Caller) {
      await expectStatus(() => admin.post(`${user}/disable`), 200);
      return admin.post(`${user}/enable`);
    },
    sessions: (admin: Caller) => admin.delete(`${user}/sessions`),
  };

  /** Reads the answer of the token endpoint for a grant. */
  function keep(grant: Held, { status, body, text }: RestResponse): Outcome {
    if (status === 401 && body.error === 'invalid_client') return 'invalid_client';
    if (status === 400 && body.error === 'invalid_grant') return 'invalid_grant';
    if (status !== 200) throw new Error(`token: ${status} ${text}`);
    const { access_token: access, refresh_token: refresh, expires_in: expiresIn } = body;
    grant.access.push({ text: access, expiresAt: now() + expiresIn * 1000 });
    const known = [...grant.refresh].find(([, one]) => one === refresh)?.[0];
    const generation = known ?? Math.max(0, ...grant.refresh.keys()) + 1;
    grant.refresh.set(generation, refresh);
    return `tokens ${generation}`;
  }

  const doers: { readonly [Kind in Operation['kind']]: Doer<Kind> } = {
    async open({ session }) {
      sessions.set(session, await seedSession(services[0].deployment, account));
      return 'done';
    },

    async authorize({ grant, session, party: index, offline }, at) {
      const service = services[at]!;
      const party = partyAt(index, at);
      const { cookie, accessToken } = sessions.get(session)!;
      const request = party.request({ scope: offline ? 'openid offline_access' : 'openid' });
      const response = await untilServed(() => service.send('GET', party.urlOf(request), { headers: { cookie } }));
      if (response.status === 400) return 'no code';
      const location = new URL(response.headers.get('location')!, party.urlOf(request)).href;
      const isAsked = service.pages.isPage(location);
      const redirect = isAsked ? await allow(service, location, accessToken) : location;
      if (redirect === undefined) return 'no code';
      const callback = new URL(redirect).searchParams;
      const authorized = { ...request, callback, code: callback.get('code')! };
      held.set(grant, { party: index, authorized, refresh: new Map(), access: [] });
      return isAsked ? 'consent, code' : 'code';
    },

    async exchange({ grant }, at) {
      const one = held.get(grant)!;
      return keep(one, await untilServed(() => partyAt(one.party, at).redeem(one.authorized)));
    },

    async steal({ grant }, at) {
      const one = held.get(grant)!;
      const party = partyAt(one.party, at);
      return keep(one, await untilServed(() => party.redeem(one.authorized, { code_verifier: random() })));
    },

    async refresh({ grant, generation }, at) {
      const one = held.get(grant)!;
      return keep(one, await untilServed(() => partyAt(one.party, at).refresh(one.refresh.get(generation)!)));
    },

    async revoke({ grant }, at) {
      const { party, refresh } = held.get(grant)!;
      const token = [...refresh.values()].at(-1)!;
      const url = services[0].metadata['revocation_endpoint'];
      const { status } = await untilServed(() => partyAt(party, at).token({ token }, undefined, url));
      return status === 401 ? 'invalid_client' : 'done';
    },

    async delete({ grant }, at) {
      const { access } = held.get(grant)!;
      const path = `${user}/grants/${grantIdOf(access[0]!.text)}`;
      const admin = await services[at]!.root();
      const { status } = await untilServed(() => admin.delete(path));
      if (status !== 204 && status !== 404) throw new Error(`DELETE: ${status}`);
      return status === 204 ? 'done' : 'not found';
    },

    async 'log out'({ session }, at) {
      const { cookie } = sessions.get(session)!;
      await untilServed(() => services[at]!.send('POST', pathOf('/auth/logout'), { headers: { cookie } }));
      return 'done';
    },

    async 'end all'({ how }, at) {
      const admin = await services[at]!.root();
      await expectStatus(() => ends[how](admin), 200);
      return 'done';
    },

    async switch({ party, disabled }, at) {
      const { applicationId } = partyAt(party, at).client;
      const admin = await services[at]!.root();
      await expectStatus(() => admin.patch(`/applications/${applicationId}`, { disabled }), 200);
      return 'done';
    },
  };

  /** Allows a request on its page. Returns undefined if its session or its application is over. */
  async function allow(service: Service, page: string, accessToken: string): Promise<string | undefined> {
    const path = pathOf(`${REQUESTS}/${requestIdOf(page)}`);
    const headers = { 'content-type': 'application/json', ...bearer(accessToken) };
    const body = JSON.stringify({ decision: 'ALLOW' });
    const response = await untilServed(() => service.send('POST', path, { headers, body }));
    if (![200, 401, 403, 404].includes(response.status)) throw new Error(`page: ${response.status} ${response.text}`);
    return response.body?.redirectTo;
  }

  const pathOf = (path: string) => `${services[0].issuer}${API}${path}`;
  return doers;
}

async function expectStatus(request: () => Promise<RestResponse>, wanted: number): Promise<void> {
  const { status, text } = await untilServed(request);
  if (status !== wanted) throw new Error(`${status} ${text}`);
}

/** Returns the grant of an access token. */
export const grantIdOf = (accessToken: string): string =>
  JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()).gid;
