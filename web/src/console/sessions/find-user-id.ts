import type { Session } from '../../../../client/src/index.ts';
import { listUsers } from '../../../../client/src/operations.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const MOST = 100;
/** No account has it, so no session is found. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Returns the id of the user with a username; an id itself. */
export async function findUserId(
  session: Session,
  { text, tenantId }: { readonly text: string; readonly tenantId: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  if (UUID.test(text)) return text.toLowerCase();
  const { data } = await listUsers(session, { query: { query: text, tenantId, perPage: MOST } }, { signal });
  const username = text.normalize('NFC').toLowerCase();
  return data.find((user) => user.username === username)?.id ?? NOBODY;
}
