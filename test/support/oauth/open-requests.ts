// Many open authorization requests.
import { newId } from '../../../src/platform/db/ids.ts';
import { newRequestId } from '../../../src/auth/oauth/authorize/request-store.ts';
import type { Database, SqlValue } from '../../../src/platform/db/types.ts';

const ROWS_OF_STATEMENT = 500;

/** Inserts open requests of a network, of an application that does not exist. */
export async function fillRequests(
  database: Database,
  of: { readonly count: number; readonly network: string; readonly expiresAt: number; readonly hash?: Buffer },
): Promise<void> {
  const { network, expiresAt, hash } = of;
  const application = Buffer.from(newId().replaceAll('-', ''), 'hex');
  for (let left = of.count; left > 0; left -= ROWS_OF_STATEMENT) {
    const rows = Array.from({ length: Math.min(left, ROWS_OF_STATEMENT) }, (): SqlValue[] => [
      hash ?? newRequestId().hash,
      'LOGIN',
      Buffer.from('acme'),
      application,
      '',
      network,
      0,
      expiresAt,
    ]);
    await database.execute(
      `INSERT INTO authorization_requests
         (id, kind, application_tenant, application_id, parameters, network, requested_at, expires_at)
       VALUES ${rows.map(() => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
      rows.flat(),
    );
  }
}
