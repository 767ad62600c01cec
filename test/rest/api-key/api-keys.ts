// API keys as their administrators and their holders use them.
import { generateApiKey } from '../../../src/auth/api-key/key-format.ts';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { caller } from '../../support/callers.ts';
import { tenantBytes } from '../../../src/platform/db/query/tenant-scope.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import type { Deployment } from '../../support/deployment.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';

export const ENABLED = { 'app.security.api-key.enabled': 'true' };

export const pathOf = (account: Pick<Account, 'id'> | string): string =>
  `/api/v1/service-accounts/${typeof account === 'string' ? account : account.id}/api-keys`;

export interface ApiKeyAdministrator {
  readonly account: Account;
  readonly headers: Record<string, string>;
  issue(account: Account | string, body?: unknown): Promise<RestResponse>;
  list(account: Account | string, query?: string): Promise<RestResponse>;
  revoke(account: Account | string, keyId: string): Promise<RestResponse>;
}

/** Somebody with a session who tries to administer keys. */
export async function administrator(
  deployment: Deployment,
  seed: Seed = { roles: ['ADMIN'] },
): Promise<ApiKeyAdministrator> {
  const { account, headers } = await caller(deployment, seed);
  return administratorWith(deployment.url, account, headers);
}

/** The same with credentials of the test's choice. */
export function administratorWith(url: string, account: Account, headers: Record<string, string>): ApiKeyAdministrator {
  const rest = restClient(url);
  return {
    account,
    headers,
    issue: (of, body = { label: 'a key' }) => rest.postJson(pathOf(of), body, headers),
    list: (of, query = '') => rest.send('GET', pathOf(of) + query, { headers }),
    revoke: (of, keyId) => rest.send('DELETE', `${pathOf(of)}/${keyId}`, { headers }),
  };
}

/** Asks who the holder of a key is. */
export function meBy(url: string, key: string, headers: Record<string, string> = {}): Promise<RestResponse> {
  return restClient(url).send('GET', '/api/v1/auth/me', { headers: { 'x-api-key': key, ...headers } });
}

export function serviceAccount(deployment: Deployment, seed: Seed = {}): Promise<Account> {
  return seedAccount(deployment.database, { interactive: false, roles: ['MANAGER'], ...seed });
}

/** Stores a key that no endpoint would issue, and returns it. */
export async function insertApiKey(database: Database, { id, tenantId }: Account): Promise<string> {
  const { key, hash, prefix } = generateApiKey();
  await database.execute(
    `INSERT INTO api_keys (tenant_id, account_id, id, key_hash, label, prefix, created_at, created_by)
     VALUES (?, ?, ?, ?, 'by hand', ?, 0, ?)`,
    [tenantBytes(tenantId), idToBytes(id), idToBytes(newId()), hash, prefix, idToBytes(id)],
  );
  return key;
}
