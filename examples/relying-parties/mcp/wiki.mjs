// An MCP client, and the server that it calls. The client knows its client id. It learns the issuer from the server.
import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { serve } from './server.mjs';

const { PORT, AUTH_ISSUER, AUTH_CLIENT_ID, AUTH_TENANT } = process.env;
const origin = `http://localhost:${PORT}`;

/** What the SDK asks for and stores. */
class Login {
  redirectUrl = `${origin}/callback`;
  clientMetadata = { client_name: 'Wiki', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' };
  #state = randomUUID();
  #tokens;
  #verifier;
  location;

  state = () => this.#state;
  clientInformation = () => ({ client_id: AUTH_CLIENT_ID });
  tokens = () => this.#tokens;
  saveTokens = (tokens) => void (this.#tokens = tokens);
  saveCodeVerifier = (verifier) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  redirectToAuthorization = (location) => void (this.location = location);
  invalidateCredentials = () => void (this.#tokens = undefined);
}

let login = new Login();

const newTransport = () => new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: login });

async function whoami() {
  const client = new Client({ name: 'wiki', version: '1' });
  try {
    await client.connect(newTransport());
    const { content } = await client.callTool({ name: 'whoami' });
    return JSON.parse(content[0].text);
  } finally {
    await client.close();
  }
}

const app = await serve(AUTH_ISSUER, origin, AUTH_TENANT);
app.get('/login', async (_, response) => {
  login = new Login();
  await whoami().catch(() => undefined);
  response.redirect(303, login.location.href);
});
app.get('/callback', async ({ query }, response) => {
  if (query.state !== login.state()) return void response.sendStatus(400);
  await newTransport().finishAuth(query.code);
  response.send('You are logged in. Close this page.');
});
app.get('/claims', async (_, response) => {
  await whoami().then(
    (claims) => response.json(claims),
    () => response.sendStatus(401),
  );
});
// For the test: the server refuses the token, so that the SDK gets another one.
app.get('/refresh', async (_, response) => {
  login.saveTokens({ ...login.tokens(), access_token: 'expired' });
  await whoami().then(
    () => response.json(login.tokens().access_token),
    () => response.sendStatus(401),
  );
});
app.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${origin}`));
