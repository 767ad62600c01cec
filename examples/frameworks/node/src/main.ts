// A service that accepts access tokens of the auth service: main.ts express|fastify introspection|jwks|revocations.
import type { Check } from './access-token.ts';
import { expressApp } from './express.ts';
import { fastifyApp } from './fastify.ts';
import { byIntrospection } from './introspection.ts';
import { byKeySet } from './jwks.ts';
import { followRevocations } from './revocations.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const {
  AUTH_ISSUER = '',
  AUTH_AUDIENCE = '',
  AUTH_CLIENT_ID = '',
  AUTH_CLIENT_SECRET = '',
  AUTH_TENANT = '',
  PORT = '8081',
} = process.env;
const [framework = '', kind = ''] = process.argv.slice(2);

const checks: Readonly<Record<string, () => Check>> = {
  introspection: () => byIntrospection(AUTH_ISSUER, AUTH_CLIENT_ID, AUTH_CLIENT_SECRET),
  jwks: () => byKeySet(AUTH_ISSUER, AUTH_AUDIENCE, AUTH_TENANT),
  revocations: () => {
    const isRevoked = followRevocations(AUTH_ISSUER, AUTH_CLIENT_ID, AUTH_CLIENT_SECRET);
    return byKeySet(AUTH_ISSUER, AUTH_AUDIENCE, AUTH_TENANT, isRevoked);
  },
};
const check = checks[kind]?.();
if (!check) throw new Error('usage: main.ts express|fastify introspection|jwks|revocations');

if (framework === 'fastify') {
  const app = await fastifyApp(check);
  console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: Number(PORT) })}`);
} else {
  const server = createServer(expressApp(check)).listen(Number(PORT), '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}
