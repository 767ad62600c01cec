import type { Database } from '../../../platform/db/types.ts';
import { findRevocation } from '../session-list-store.ts';
import type { RevocationReason } from '../session-family.ts';

const CAUSES: Readonly<Record<RevocationReason, string>> = {
  logout: 'by a logout',
  replay: 'by the replay of an earlier refresh token',
  revoked: 'by its owner or an administrator',
  'account-changed': 'by a change of its account',
  restored: 'because the database was restored from a backup',
  'too-many': 'by a login beyond app.security.sessions-per-account',
};

/** Returns when and why, in words, a session was revoked; undefined if it is not revoked or was deleted. */
export async function sessionRevocation(
  database: Database,
  session: { readonly tenantId: string | undefined; readonly id: string },
): Promise<{ readonly detail: string; readonly at: number } | undefined> {
  const found = await findRevocation(database, session);
  if (!found) return undefined;
  const { revokedAt, reason, generation } = found;
  const detail = `session ${session.id} was revoked at generation ${generation} ${CAUSES[reason]}`;
  return { detail, at: revokedAt };
}
