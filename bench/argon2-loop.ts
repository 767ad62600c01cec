// The limit of POST /auth/login: a Fastify server that only verifies a password. Usage: `argon2-loop.ts HASH PASSWORD`.
import { verify } from 'argon2';
import Fastify from 'fastify';

const [hash = '', password = ''] = process.argv.slice(2);
const app = Fastify();
app.post('/api/v1/auth/login', async () => ({ isCorrect: await verify(hash, password) }));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
