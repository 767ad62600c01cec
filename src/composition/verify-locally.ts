// Verifies the audit trail, for the operator of the machine.
import { createPublicKey, type webcrypto } from 'node:crypto';
import { AUDIT_HEAD_TYPE } from '../auth/audit/seals/get-audit-head.ts';
import type { VerifyEvidenceOptions } from '../auth/audit/evidence/verify-chain.ts';
import { verifyEvidence } from '../auth/audit/evidence/verify-evidence.ts';
import { verifyTrail, type KeptHead, type VerifyOptions, type TrailCounts } from '../auth/audit/seals/verify-trail.ts';
import { readCompact } from '../auth/keys/compact-jws.ts';
import { findSigningKeys } from '../auth/keys/key-store.ts';
import type { Database } from '../platform/db/types.ts';
import { loadSealKey } from './audit-trail.ts';
import { createConfiguredKeyEncryption } from './tokens.ts';
import { type LocalOptions, useDatabase } from './usable-database.ts';

export type { EvidenceProblem } from '../auth/audit/evidence/verify-chain.ts';
export type { TrailProblem } from '../auth/audit/seals/verify-trail.ts';

export interface VerifyLocallyOptions extends LocalOptions, Pick<VerifyOptions, 'onProblem' | 'onProgress' | 'signal'> {
  /** The JWS of a head that was kept elsewhere. */
  readonly head?: string | undefined;
}

/** The result of a verification. */
export interface Verification extends TrailCounts {
  /** Undefined without a head, and if the service has removed the key that signed it. */
  readonly isHeadSigned: boolean | undefined;
}

/** Verifies the audit trail of the database of the settings, up to its last seal at this moment. */
export function verifyLocally({ head, ...options }: VerifyLocallyOptions): Promise<Verification> {
  return useDatabase(options, async (database) => {
    const encryption = createConfiguredKeyEncryption(options.settings);
    const key = await loadSealKey({ database, clock: Date.now, encryption });
    const kept = head === undefined ? undefined : await readHead(database, head);
    const counts = await verifyTrail({ ...options, database, key, head: kept });
    return { ...counts, isHeadSigned: kept?.isSigned };
  });
}

export interface VerifyExportLocallyOptions extends LocalOptions, Pick<VerifyEvidenceOptions, 'lines' | 'onProblem'> {
  /** The JWS of a head that was kept elsewhere. */
  readonly head?: string | undefined;
}

/** Verifies evidence by the key of the seals in the database of the settings. Does not read its records. */
export function verifyExportLocally({ head, ...options }: VerifyExportLocallyOptions) {
  return useDatabase(options, async (database) => {
    const encryption = createConfiguredKeyEncryption(options.settings);
    const key = await loadSealKey({ database, clock: Date.now, encryption });
    const kept = head === undefined ? undefined : await readHead(database, head);
    const counts = await verifyEvidence({ ...options, key, head: kept, headSignedAt: kept?.signedAt });
    return { ...counts, isHeadSigned: kept?.isSigned };
  });
}

/** A head that was kept elsewhere. */
interface ReadHead extends KeptHead {
  readonly isSigned: boolean | undefined;
  /** Unix milliseconds. */
  readonly signedAt: number | undefined;
}

async function readHead(database: Database, jws: string): Promise<ReadHead> {
  const keys = await findSigningKeys(database, 'ACCESS');
  const read = readCompact(jws.trim(), (id) => {
    const found = keys.find(({ kid }) => kid === id);
    if (!found) return undefined;
    const publicKey = createPublicKey({ key: JSON.parse(found.publicJwk) as webcrypto.JsonWebKey, format: 'jwk' });
    return { algorithm: found.algorithm, publicKey };
  });
  const { tenantId: tenant, number, mac, iat } = read?.claims ?? {};
  if (read?.type !== AUDIT_HEAD_TYPE || typeof tenant !== 'string' || typeof number !== 'number')
    throw new Error('the head is not the output of `audit head`');
  if (read.isVerified === false) throw new Error('the head was not signed by this service');
  if (typeof mac !== 'string') throw new Error('the head is of an empty trail: it shows nothing');
  const signedAt = typeof iat === 'number' ? iat * 1000 : undefined;
  return { tenant, number, mac: Buffer.from(mac, 'base64url'), isSigned: read.isVerified, signedAt };
}
