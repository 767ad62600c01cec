// A limit for comparisons: Fastify with prepared statements and the same durable writes, for these paths only. It has no pipeline,
// tenants, limits or error formats. Usage: `server.ts DATABASE_URL SERVICE_URL`.
import Fastify from 'fastify';
import { createBearer, createGrant, idOf, type Jwk } from './credentials.ts';
import { readPage } from './products.ts';
import { openStore } from './store.ts';

const [databaseUrl = '', serviceUrl = ''] = process.argv.slice(2);
const store = openStore(databaseUrl);
const { keys } = (await (await fetch(`${serviceUrl}/.well-known/jwks.json`)).json()) as { keys: Jwk[] };
const bearer = createBearer(store, keys[0]!);
const grant = createGrant(store);

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;
const object = (properties: object) => ({ type: 'object', properties });
const image = object({ index: number, url: text, contentType: text, size: number });
const Me = object({
  id: text,
  username: text,
  name: text,
  email: text,
  tenantId: text,
  roles: { type: 'array', items: text },
  createdAt: text,
});
const Product = object({
  id: text,
  tenantId: text,
  sku: text,
  name: text,
  description: text,
  category: text,
  price: number,
  currency: text,
  stock: number,
  reorderLevel: number,
  status: text,
  images: { type: 'array', items: image },
  createdAt: text,
  updatedAt: text,
});

const app = Fastify();
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, Object.fromEntries(new URLSearchParams(body as string))),
);

app.get('/api/v1/auth/me', { schema: { response: { 200: Me, 401: {} } } }, async (request, reply) => {
  const account = await bearer(request.headers.authorization);
  if (account === undefined) return reply.code(401).send();
  reply.header('cache-control', 'no-store');
  return {
    id: idOf(account['id'] as Uint8Array),
    username: Buffer.from(account['username'] as Uint8Array).toString(),
    name: account['name'],
    email: account['email'] ?? undefined,
    tenantId: Buffer.from(account['tenant_id'] as Uint8Array).toString(),
    roles: ROLES[account['roles'] as string],
    createdAt: new Date(account['created_at'] as number).toISOString(),
  };
});

/** The flattened roles of the seeded accounts. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  MANAGER: ['ROLE_MANAGER', 'ROLE_SALES', 'ROLE_ACCOUNTANT'],
};

app.post('/api/v1/auth/token', async (request, reply) => {
  const form = request.body as Readonly<Record<string, string>>;
  const token = await grant(form['client_id'] ?? '', form['client_secret'] ?? '', request.ip);
  if (form['grant_type'] !== 'client_credentials' || token === undefined) return reply.code(401).send();
  reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
  return { access_token: token, token_type: 'Bearer', expires_in: 300 };
});

app.get(
  '/api/v1/products',
  { schema: { response: { 200: { type: 'array', items: Product }, 401: {} } } },
  async (request, reply) => {
    const account = await bearer(request.headers.authorization);
    if (account === undefined) return reply.code(401).send();
    const perPage = Number((request.query as { perPage?: string }).perPage ?? 20);
    const { total, products } = await readPage(store, account['tenant_id'] as Uint8Array, 1, perPage);
    reply.headers({ 'x-total-count': total, 'x-page': 1, 'x-per-page': perPage, 'cache-control': 'private, no-cache' });
    return products;
  },
);

process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
