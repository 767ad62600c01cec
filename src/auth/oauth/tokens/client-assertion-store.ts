// The client assertions that were used, as the SHA-256 of their ids.
import { hash } from 'node:crypto';
import type { Deadline } from '../../../platform/clock.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import { idToBytes } from '../../../platform/db/ids.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';
import type { UsableAssertion } from './client-assertion.ts';

/** Clocks of machines differ. A row must not end before its assertion does on the machine with the slowest clock. */
const CLOCK_MARGIN_MS = 60_000;

export const CLIENT_ASSERTIONS_CLEANUP: CleanupTarget = {
  table: 'client_assertions',
  key: ['application_id', 'jti_hash'],
  expiresAt: ['expires_at'],
  keepMs: CLOCK_MARGIN_MS,
};

/** Marks an assertion of an application as used. Returns false if it was used before, in any process. */
export type ClaimAssertion = (
  applicationId: string,
  assertion: Pick<UsableAssertion, 'jti' | 'expiresAt'>,
  deadline: Deadline,
) => Promise<boolean>;

export function createClaimAssertion(database: Pick<Database, 'insert'>): ClaimAssertion {
  return async (applicationId, { jti, expiresAt }, deadline) => {
    try {
      await database.insert(
        {
          into: 'client_assertions (application_id, jti_hash, expires_at)',
          row: 'VALUES (?, ?, ?)',
          values: [idToBytes(applicationId), hash('sha256', jti, 'buffer'), expiresAt],
        },
        deadline,
      );
      return true;
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
      throw error;
    }
  };
}
