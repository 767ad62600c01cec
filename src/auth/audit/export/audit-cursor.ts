// Cursors of streams of audit records. Their place in the order of all tenants is encrypted, because its growth would show how many
// events other tenants have. Two cursors of the same place differ, so that a heartbeat does not show whether the place has moved.
import { createCipheriv, createDecipheriv, createHmac, randomFillSync } from 'node:crypto';
import { decodeBase64 } from '../../../platform/formats/base64.ts';

export type AuditCursors = ReturnType<typeof createAuditCursors>;

const BLOCK_BYTES = 16;
const KEY_BYTES = 16;
/** The place, random bytes, and zeros that show whether a cursor is one of this service. */
const RANDOM = { start: 8, bytes: 4 } as const;
const ZEROS = 12;

/** The key of the cursors. A restored database gets another one: it gives the places after its backup to other records. */
export const AUDIT_CURSOR_KEY = 'audit-cursors';

/**
 * @param key 32 random bytes.
 * @param least The least place. Those of records from before there were seals are negative.
 */
export function createAuditCursors(key: Uint8Array, least = 0) {
  const blockKey = createHmac('sha256', key).update('cursor').digest().subarray(0, KEY_BYTES);
  return {
    format(sequence: number): string {
      const block = Buffer.alloc(BLOCK_BYTES);
      block.writeBigInt64BE(BigInt(sequence));
      randomFillSync(block, RANDOM.start, RANDOM.bytes);
      // A single block needs no mode.
      const cipher = createCipheriv('aes-128-ecb', blockKey, null).setAutoPadding(false);
      return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
    },
    /** Returns the place of a cursor; undefined if the service has not issued it. */
    parse(cursor: string): number | undefined {
      const bytes = decodeBase64(cursor, 'base64url');
      if (bytes?.length !== BLOCK_BYTES) return undefined;
      const decipher = createDecipheriv('aes-128-ecb', blockKey, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(bytes), decipher.final()]);
      const sequence = Number(block.readBigInt64BE());
      return block.readUInt32BE(ZEROS) === 0 && sequence >= least && Number.isSafeInteger(sequence)
        ? sequence
        : undefined;
    },
  };
}
