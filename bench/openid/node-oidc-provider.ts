// A limit of the OpenID provider: node-oidc-provider, which is certified, with its storage in memory, so without durable grants. Usage:
// `node-oidc-provider.ts CLIENT_ID CLIENT_SECRET`. `GET /browsers?count=32` returns Cookie headers of live sessions.
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { CALLBACK } from './provider.ts';

const [clientId = '', clientSecret = ''] = process.argv.slice(2);
const COOKIE_KEY = 'not a secret';
const SESSION_SECONDS = 86_400;
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

type Stored = Readonly<Record<string, unknown>> & { consumed?: number };
const stored = new Map<string, Stored>();
const sessionIds = new Map<string, string>();

/** As little as an adapter can do. The adapter of the library forgets all but 1,000 records, and slows down with the tokens of a grant. */
class MemoryAdapter {
  readonly #model: string;
  constructor(model: string) {
    this.#model = model;
  }
  async upsert(id: string, payload: Stored): Promise<void> {
    stored.set(`${this.#model}:${id}`, payload);
    if (this.#model === 'Session') sessionIds.set(String(payload['uid']), id);
  }
  async find(id: string): Promise<Stored | undefined> {
    return stored.get(`${this.#model}:${id}`);
  }
  async findByUid(uid: string): Promise<Stored | undefined> {
    return this.find(sessionIds.get(uid) ?? '');
  }
  async consume(id: string): Promise<void> {
    stored.get(`${this.#model}:${id}`)!.consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id: string): Promise<void> {
    stored.delete(`${this.#model}:${id}`);
  }
}

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const provider = new Provider(url, {
  adapter: MemoryAdapter,
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [CALLBACK],
    },
  ],
  jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig', kid: 'bench' }] },
  cookies: { keys: [COOKIE_KEY] },
  claims: {
    openid: ['sub'],
    profile: ['name', 'preferred_username', 'updated_at', 'locale'],
    email: ['email', 'email_verified'],
  },
  conformIdTokenClaims: false,
  features: { devInteractions: { enabled: false } },
  issueRefreshToken: () => true,
  findAccount: (_: unknown, accountId: string) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      name: 'Alice Adams',
      preferred_username: `${accountId}@acme.test`,
      updated_at: 1_764_000_000,
      locale: 'en',
      email: 'alice@acme.test',
      email_verified: false,
    }),
  }),
  ttl: {
    AccessToken: 900,
    AuthorizationCode: 60,
    Grant: SESSION_SECONDS,
    IdToken: 600,
    RefreshToken: SESSION_SECONDS,
    Session: SESSION_SECONDS,
  },
});

/** Creates a session whose user has consented. Returns its Cookie header. */
async function openBrowser(): Promise<string> {
  const accountId = randomUUID();
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope('openid profile email');
  const grantId = await grant.save(SESSION_SECONDS);
  const authorizations = { [clientId]: { grantId, sid: randomUUID() } };
  const session = new provider.Session({
    accountId,
    loginTs: Math.floor(Date.now() / 1000),
    amr: ['pwd'],
    authorizations,
  });
  const cookie = `_session=${await session.save(SESSION_SECONDS)}`;
  // The signature of the package keygrip.
  return `${cookie}; _session.sig=${createHmac('sha1', COOKIE_KEY).update(cookie).digest('base64url')}`;
}

const answer = provider.callback();
server.on('request', (request, response) => {
  if (!request.url!.startsWith('/browsers')) return answer(request, response);
  const count = Number(new URL(request.url!, url).searchParams.get('count'));
  void Promise.all(Array.from({ length: count }, openBrowser)).then((cookies) => response.end(JSON.stringify(cookies)));
});
process.stdout.write(`${url}\n`);
