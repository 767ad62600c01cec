// A web application whose users log in. It knows the issuer, its client id and its secret.
import { randomBytes } from 'node:crypto';
import express from 'express';
// snippet:start connect
import openid from 'express-openid-connect';
import memoryStore from 'memorystore';

const { auth, requiresAuth } = openid;
const { PORT, AUTH_ISSUER, AUTH_CLIENT_ID, AUTH_CLIENT_SECRET } = process.env;
const origin = `http://localhost:${PORT}`;
const MemoryStore = memoryStore(auth);

/** Adds /login, /callback, /logout and /backchannel-logout. */
const login = auth({
  issuerBaseURL: AUTH_ISSUER,
  baseURL: origin,
  clientID: AUTH_CLIENT_ID,
  clientSecret: AUTH_CLIENT_SECRET,
  secret: randomBytes(32).toString('hex'),
  authRequired: false,
  authorizationParams: { response_type: 'code', scope: 'openid profile email groups' },
  // Logs out at the provider, too.
  idpLogout: true,
  // Several processes need a common store, such as Redis.
  session: { store: new MemoryStore({ checkPeriod: 86_400_000 }) },
  backchannelLogout: true,
});
// snippet:end

const app = express();
app.use(login);
app.get('/', (_, response) => void response.send('Wiki'));
app.get('/claims', (request, response) => {
  if (request.oidc.isAuthenticated()) response.json(request.oidc.user);
  else response.sendStatus(401);
});
app.get('/refresh', requiresAuth(), async (request, response) => {
  try {
    const token = await request.oidc.accessToken.refresh();
    response.json(token.access_token);
  } catch {
    response.sendStatus(401);
  }
});
app.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${origin}`));
