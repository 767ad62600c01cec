import { createRefreshTokens } from '../../src/auth/oauth/grants/refresh-token.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { loadSecretKey } from '../../src/auth/keys/secret-key.ts';
import { createOpaqueRefreshTokens } from '../../src/auth/session/transport/cookie-transport.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { Side } from '../compare.ts';
import { basicAuthorization } from '../openid/provider.ts';
import { codeFlowSide } from '../openid/sides.ts';
import { consent, providerOf } from '../openid/service-provider.ts';
import { TENANT_ID } from '../seed.ts';
import { COOKIE_NAME, KEY_ENCRYPTION_KEY } from '../service.ts';
import { wrkSide } from '../stand.ts';
import { idOf } from './fill.ts';
import type { Stage } from './stage.ts';

const CONNECTIONS = 32;
/** Accounts that log in, and grants that are refreshed, in a load. */
const CHOSEN = 1_024;

const keyOf = (database: Database, name: string) =>
  loadSecretKey({ database, encryption: createKeyEncryption(KEY_ENCRYPTION_KEY), name, clock: Date.now });

/** Logins of an application by the sessions of random accounts. */
export async function flowSide(stage: Stage): Promise<Side> {
  const { database, accounts, service, seeded } = stage;
  const sessions = createOpaqueRefreshTokens(await keyOf(database, 'refresh-credential-tag'));
  const openBrowsers = async () => {
    const cookies: string[] = [];
    for (const number of choose(accounts)) {
      // The filled session has no token that a browser could send.
      const { value, selector, verifierHash } = sessions.issue(1);
      await database.execute(
        'UPDATE session_families SET selector = ?, verifier_hash = ? WHERE tenant_id = ? AND id = ?',
        [selector, verifierHash, Buffer.from(TENANT_ID), idToBytes(idOf(number))],
      );
      await consent(database, seeded.application, idOf(number));
      cookies.push(`${COOKIE_NAME}=${value}`);
    }
    return cookies;
  };
  return codeFlowSide({ ...providerOf(service, seeded), openBrowsers }, 'code-flow', CONNECTIONS);
}

/** Refreshes of random grants, others in each load. */
export async function refreshSide({ database, grants, service, seeded }: Stage): Promise<Side> {
  const tokens = createRefreshTokens(await keyOf(database, 'grant-refresh-token'));
  const provider = providerOf(service, seeded);
  const authorization = basicAuthorization(provider);
  return {
    name: '',
    pid: service.pid,
    async load(seconds) {
      const lines: string[] = [];
      for (const number of choose(grants)) {
        const [row] = await database.query<{ selector: Uint8Array }>(
          'SELECT selector FROM grants WHERE tenant_id = ? AND id = ?',
          [Buffer.from(TENANT_ID), idToBytes(idOf(number))],
        );
        // An earlier login may have ended it.
        if (row === undefined) continue;
        const token = tokens.issue({ selector: Buffer.from(row.selector), generation: 1 });
        const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token }).toString();
        lines.push(['application/x-www-form-urlencoded', authorization, body].join('\t'));
      }
      const requests = { path: provider.paths.token, format: 'post', lines, connections: CONNECTIONS } as const;
      return wrkSide('', service, requests).load(seconds);
    },
  };
}

function choose(count: number): Set<number> {
  const chosen = new Set<number>();
  while (chosen.size < Math.min(CHOSEN, count)) chosen.add(1 + Math.floor(Math.random() * count));
  return chosen;
}
