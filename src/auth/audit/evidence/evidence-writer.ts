// Writes evidence: the lines of its format, with their MAC.
import type { Database } from '../../../platform/db/types.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import { readerOf } from '../../../platform/rpc/paging.ts';
import type { Call } from '../../access/principal.ts';
import { isErasedSeal } from '../seals/record-seal.ts';
import { lastSeal, lastSequence } from '../seals/seal-store.ts';
import { isErasedAccount } from '../seals/verify-store.ts';
import { EVERY_TENANT } from '../statistics/statistics-store.ts';
import type { AuditFilter } from '../trail/audit-filter.ts';
import type { ExportedRecord } from '../trail/audit-list-store.ts';
import { auditRecordJson } from '../trail/audit-message.ts';
import {
  base64,
  createEvidenceMac,
  evidencePlaces,
  EVIDENCE_VERSION,
  type EvidenceHeader,
  type RecordProof,
} from './evidence-file.ts';
import type { ExportResult, FileWriter } from './file-writer.ts';
import { selectSealLines } from './seal-lines.ts';

export interface EvidenceWriterDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly sealKey: Uint8Array;
}

export interface EvidenceRequest {
  /** Undefined if nothing can match. */
  readonly filter: AuditFilter | undefined;
  readonly scope: AdminScope;
  readonly described: string;
  readonly call: Call;
}

/** Limits the memory for accounts. */
const MAX_ACCOUNTS = 10_000;

export function createEvidenceWriter({ database, clock, sealKey }: EvidenceWriterDependencies) {
  const places = evidencePlaces(sealKey);

  return ({ filter, scope, described, call }: EvidenceRequest): FileWriter => {
    const mac = createEvidenceMac(sealKey);
    const erased = new Map<string, boolean>();
    let covered: Covered | undefined;
    const tenant = scope.everyTenant ? EVERY_TENANT : (scope.tenantId ?? '');
    const line = (value: object): string => {
      const text = JSON.stringify(value);
      mac.add(text);
      return `${text}\n`;
    };

    /** A record that was sealed after the export had begun counts as not sealed: its seal is not in the export. */
    function isCovered(sequence: number): boolean {
      return covered === undefined || sequence <= (sequence > 0 ? covered.lastNew : covered.lastOld);
    }

    async function findErased(records: readonly ExportedRecord[]): Promise<void> {
      if (erased.size > MAX_ACCOUNTS) erased.clear();
      for (const { tenantId, accountId, actorId } of records.filter(hasErasedSeal)) {
        for (const id of [accountId, actorId]) {
          if (id === undefined || erased.has(id)) continue;
          erased.set(id, await isErasedAccount(database, tenantId, id));
        }
      }
    }

    function proofOf({ sequence, seal, accountId, actorId }: ExportedRecord): RecordProof {
      if (sequence === undefined || seal === undefined || !isCovered(sequence)) return {};
      const isErased = isErasedSeal(seal) && [accountId, actorId].some((id) => id !== undefined && erased.get(id));
      return { place: places.format(sequence), seal: base64(seal), ...(isErased && { erased: true }) };
    }

    return {
      async begin() {
        if (isComplete(filter)) covered = await findCovered(database, filter.scope.tenantId);
        const { id, username } = call.principal!.account;
        const header: EvidenceHeader = {
          evidence: EVIDENCE_VERSION,
          exportedAt: new Date(clock()).toISOString(),
          exportedBy: { id, username },
          filter: described,
          tenant,
          from: filter?.from,
          until: filter?.until,
        };
        return line(header);
      },
      prepare: findErased,
      lineOf: (record) => line({ ...auditRecordJson(record), ...proofOf(record) }),
      async *end({ records, isTruncated }: ExportResult) {
        let seals = 0;
        if (covered !== undefined && filter !== undefined && !isTruncated) {
          const options = { database, key: sealKey, tenant, last: covered.number, period: filter };
          for await (const seal of selectSealLines({ ...options, reader: readerOf(call), format: places.format })) {
            seals += 1;
            yield line(seal);
          }
        }
        yield `${mac.end({ records, isComplete: covered !== undefined && !isTruncated, isTruncated, seals })}\n`;
      },
    };
  };
}

function hasErasedSeal({ seal }: ExportedRecord): boolean {
  return seal !== undefined && isErasedSeal(seal);
}

type OfTenant = AuditFilter & { readonly scope: { readonly tenantId: string } };

/** Whether a filter has nothing but a tenant and a period: then its seals can prove that no record is missing. */
function isComplete(filter: AuditFilter | undefined): filter is OfTenant {
  if (filter === undefined) return false;
  const { scope, events, from: _from, until: _until, ...others } = filter;
  if (scope.everyTenant || scope.tenantId === undefined || events.length > 0) return false;
  return Object.values(others).every((value) => value === undefined);
}

/** What is sealed when an export begins. */
interface Covered {
  /** The number of the last seal of the tenant. */
  readonly number: number;
  /** The last places of new records and of old ones. */
  readonly lastNew: number;
  readonly lastOld: number;
}

/** Reads again if a seal was stored meanwhile, so that the places and the seal are of one moment. */
async function findCovered(database: Database, tenantId: string): Promise<Covered> {
  for (let before = await lastSeal(database, tenantId); ;) {
    const lastNew = await lastSequence(database, database, 'new');
    const lastOld = await lastSequence(database, database, 'old');
    const after = await lastSeal(database, tenantId);
    if (after?.number === before?.number) return { number: after?.number ?? 0, lastNew, lastOld };
    before = after;
  }
}
