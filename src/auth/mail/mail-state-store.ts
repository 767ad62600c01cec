// The states of the mails with links, for administrators. A mail that was sent has no row in the outbox any more.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../platform/db/types.ts';
import type { MailState, MailStates, ReadMailStates } from './mail-states.ts';
import type { TokenPurpose } from './mail-token-store.ts';

interface StateRow {
  readonly account_id: string;
  readonly purpose: TokenPurpose;
  readonly is_shown: number;
  readonly has_mail: number;
  readonly is_stored: number;
  readonly is_refused: number;
}

/** Creates a reader with one statement for each tenant. */
export function createReadMailStates(database: Pick<Database, 'query' | 'execute'>): ReadMailStates {
  return async (accounts, now) => {
    const states = new Map<string, MailStates>();
    for (const [tenantId, ofTenant] of Map.groupBy(accounts, (account) => account.tenantId)) {
      const rows = await tenantScope(database, tenantId).query<StateRow>(
        `SELECT ${hexOf('t.account_id')} AS account_id, t.purpose AS purpose, t.shown_at IS NOT NULL AS is_shown,
            t.mail_id IS NOT NULL AS has_mail, m.id IS NOT NULL AS is_stored, m.expires_at IS NOT NULL AS is_refused
          FROM mail_tokens t LEFT JOIN mails m ON m.tenant_id = t.tenant_id AND m.id = t.mail_id
          WHERE t.tenant_id = :tenant AND t.account_id IN (${ofTenant.map(() => '?').join(', ')}) AND t.expires_at > ?`,
        [...ofTenant.map(({ id }) => idToBytes(id)), now],
      );
      for (const row of rows) {
        const id = hexToId(row.account_id);
        states.set(id, { ...states.get(id), [row.purpose]: stateOf(row) });
      }
    }
    return states;
  };
}

/** Undefined for the tokens of before, whose mails are not known. */
function stateOf({ is_shown, has_mail, is_stored, is_refused }: StateRow): MailState | undefined {
  if (is_shown) return 'NONE';
  if (!has_mail) return undefined;
  if (!is_stored) return 'SENT';
  return is_refused ? 'REFUSED' : 'QUEUED';
}
