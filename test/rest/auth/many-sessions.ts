import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import type { Account } from '../../../src/auth/access/account.ts';

/** As many as one statement can write in time on a slow machine. */
const BLOCK = 2_048;
const RANDOM = { sqlite: 'randomblob(16)', mysql: 'RANDOM_BYTES(16)' };
/** An id of the same moment as the first one's. */
const RANDOM_ID = {
  sqlite: 'CAST(substr(id, 1, 6) || randomblob(10) AS BLOB)',
  mysql: 'CONCAT(LEFT(id, 6), RANDOM_BYTES(10))',
};
const COPIED =
  'verifier_hash, generation, credential_form, remember_me, client_address, created_at, refreshed_at, idle_expires_at, access_expires_at';

/** Copies the only session of an account until it has at least `count`. Returns their number. */
export async function multiplySession(database: Database, account: Account, count: number): Promise<number> {
  let written = 1;
  while (written < count) {
    written += await database.execute(
      `INSERT INTO session_families (tenant_id, account_id, id, selector, ${COPIED})
       SELECT tenant_id, account_id, ${RANDOM_ID[database.engine]}, ${RANDOM[database.engine]}, ${COPIED}
         FROM session_families WHERE account_id = ? LIMIT ${BLOCK}`,
      [idToBytes(account.id)],
    );
  }
  return written;
}
