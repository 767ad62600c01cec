// Machine clients and the ways in which they ask for a token.
import { randomBytes } from 'node:crypto';
import { insertClientSecret } from '../../../src/auth/client-credentials/client-secret-store.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';

export const TOKEN = '/api/v1/auth/token';
export const INTROSPECT = '/api/v1/auth/introspect';
export const REVOKE = '/api/v1/auth/revoke';

export interface MachineClient {
  readonly account: Account;
  readonly id: string;
  readonly secret: string;
}

let seeded = 0;

/** A service account with one client secret. */
export async function seedClient(database: Database, seed: Seed = {}): Promise<MachineClient> {
  seeded += 1;
  const account = await seedAccount(database, {
    username: `client-${seeded}-${process.pid}`,
    interactive: false,
    ...seed,
  });
  return { account, id: account.username, secret: await addSecret(database, account) };
}

/** Gives an account a further secret. */
export async function addSecret(
  database: Database,
  { id: ownerId, tenantId }: Account,
  createdAt = Date.now(),
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await insertClientSecret(database, { tenantId, ownerId, secret, createdAt });
  return secret;
}

/** Sets the end of all secrets of an account. */
export async function expireSecrets(database: Database, { id }: Account, at: number): Promise<void> {
  await database.execute('UPDATE client_secrets SET expires_at = ? WHERE account_id = ?', [at, idToBytes(id)]);
}

export const FORM = 'application/x-www-form-urlencoded';
const GRANT = { grant_type: 'client_credentials' };

type Credentials = Pick<MachineClient, 'id' | 'secret'>;
type Headers = Readonly<Record<string, string>>;

/** The three ways to ask for a token, and anything else by `send`. */
export function tokenClient(url: string, path = TOKEN) {
  const { send, postJson } = restClient(url);
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Headers = {}): Promise<RestResponse> =>
    send('POST', path, { headers: { 'content-type': FORM, ...headers }, body });
  return {
    post,
    byForm: ({ id, secret }: Credentials, headers: Headers = {}) =>
      post(new URLSearchParams({ ...GRANT, client_id: id, client_secret: secret }).toString(), headers),
    byBasic: (credentials: Credentials, headers: Headers = {}) =>
      post(new URLSearchParams(GRANT).toString(), { authorization: basic(credentials), ...headers }),
    byJson: ({ id, secret }: Credentials, headers: Headers = {}) =>
      postJson(path, { ...GRANT, client_id: id, client_secret: secret }, headers),
  };
}

/** The three ways to send a token to another endpoint of machine clients, and the way without client authentication. */
export function tokenSender(url: string, path: typeof INTROSPECT | typeof REVOKE) {
  const { post } = tokenClient(url, path);
  const { postJson } = restClient(url);
  const form = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
  return {
    post,
    byForm: (token: string, { id, secret }: Credentials, headers: Headers = {}) =>
      post(form({ token, client_id: id, client_secret: secret }), headers),
    byBasic: (token: string, credentials: Credentials, headers: Headers = {}) =>
      post(form({ token }), { authorization: basic(credentials), ...headers }),
    byJson: (token: string, { id, secret }: Credentials, headers: Headers = {}) =>
      postJson(path, { token, client_id: id, client_secret: secret }, headers),
    anonymously: (token: string, more: Record<string, string> = {}) => post(form({ token, ...more })),
  };
}

export type TokenSender = ReturnType<typeof tokenSender>;

export type TokenClient = ReturnType<typeof tokenClient>;

/** An Authorization header as RFC 6749 section 2.3.1 has it: both parts form-urlencoded. */
export function basic({ id, secret }: Credentials): string {
  return `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;
}

/** A text as a form has it. */
export function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
