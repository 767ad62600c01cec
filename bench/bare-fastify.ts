// The limit of GET /auth/me: a Fastify server that only sends the same body.
import Fastify from 'fastify';

const [body = '{}'] = process.argv.slice(2);
const response: unknown = JSON.parse(body);
const properties = Object.fromEntries(Object.keys(JSON.parse(body)).map((key) => [key, {}]));
const app = Fastify();
app.get('/api/v1/auth/me', { schema: { response: { 200: { type: 'object', properties } } } }, async () => response);
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
