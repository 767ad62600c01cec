import { createCookieSession } from 'authservice-client';
import { getMe } from 'authservice-client/operations';

const session = createCookieSession();
await session.login({ username: 'alice@acme.test', password: 'demo-password-1' });
console.log((await getMe(session)).data.username);
