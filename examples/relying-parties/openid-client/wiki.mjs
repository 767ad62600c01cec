// A web application whose users log in. It knows the issuer, its client id and its secret.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as openid from 'openid-client';

const { PORT, AUTH_ISSUER, AUTH_CLIENT_ID, AUTH_CLIENT_SECRET } = process.env;
const origin = `http://localhost:${PORT}`;
const redirectUri = `${origin}/callback`;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const execute = AUTH_ISSUER.startsWith('http:') ? [openid.allowInsecureRequests] : [];
const provider = await openid.discovery(new URL(AUTH_ISSUER), AUTH_CLIENT_ID, AUTH_CLIENT_SECRET, undefined, {
  execute,
});
const keys = createRemoteJWKSet(new URL(provider.serverMetadata().jwks_uri));
/** Logins that have started, and users, by the id in the cookie. */
const sessions = new Map();

async function login(response) {
  const started = {
    verifier: openid.randomPKCECodeVerifier(),
    state: openid.randomState(),
    nonce: openid.randomNonce(),
  };
  const url = openid.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: 'openid profile email groups',
    state: started.state,
    nonce: started.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(started.verifier),
    code_challenge_method: 'S256',
  });
  redirect(response, url.href, { started });
}

async function callback(response, { started }, url) {
  const tokens = await openid.authorizationCodeGrant(provider, url, {
    pkceCodeVerifier: started.verifier,
    expectedState: started.state,
    expectedNonce: started.nonce,
  });
  redirect(response, '/', { tokens, claims: tokens.claims() });
}

async function refresh(response, session) {
  session.tokens = await openid.refreshTokenGrant(provider, session.tokens.refresh_token);
  respond(response, session.tokens.access_token);
}

function logout(response, { tokens }, id) {
  sessions.delete(id);
  const url = openid.buildEndSessionUrl(provider, {
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: `${origin}/`,
  });
  redirect(response, url.href);
}

async function backchannelLogout(request, response) {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { issuer } = provider.serverMetadata();
  const { payload } = await jwtVerify(new URLSearchParams(body).get('logout_token') ?? '', keys, {
    issuer,
    audience: AUTH_CLIENT_ID,
    typ: 'logout+jwt',
    requiredClaims: ['sid', 'exp'],
  });
  if (payload.events?.[EVENT] === undefined || payload.nonce !== undefined) throw new Error('not a logout token');
  for (const [id, { claims }] of sessions) if (claims?.sid === payload.sid) sessions.delete(id);
  response.end();
}

function redirect(response, location, session) {
  const id = randomUUID();
  if (session) sessions.set(id, session);
  const cookie = `wiki=${id}; HttpOnly; SameSite=Lax; Path=/`;
  response.writeHead(303, { location, ...(session && { 'set-cookie': cookie }) }).end();
}

const respond = (response, body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));

async function handle(request, response) {
  const url = new URL(request.url, origin);
  if (request.method === 'POST' && url.pathname === '/backchannel-logout') return backchannelLogout(request, response);
  if (url.pathname === '/login') return login(response);
  const [, id = ''] = /\bwiki=([\w-]+)/.exec(request.headers.cookie ?? '') ?? [];
  const session = sessions.get(id);
  if (url.pathname === '/') return response.end('Wiki');
  if (url.pathname === '/callback' && session?.started) return callback(response, session, url);
  if (!session?.tokens) return response.writeHead(401).end();
  if (url.pathname === '/claims') return respond(response, session.claims);
  if (url.pathname === '/refresh') return refresh(response, session);
  if (url.pathname === '/logout') return logout(response, session, id);
  response.writeHead(404).end();
}

createServer((request, response) => {
  handle(request, response).catch((error) => response.writeHead(400).end(String(error)));
}).listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${origin}`));
