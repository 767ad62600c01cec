// Verifies evidence with the key of the seals, without the records of the database. It needs memory for a place and a MAC of each record.
import { createSecretKey } from 'node:crypto';
import { checkRecord, tagOf } from '../seals/record-seal.ts';
import {
  createEvidenceMac,
  evidencePlaces,
  EVIDENCE_VERSION,
  type EvidenceEnd,
  type EvidenceHeader,
  type RecordProof,
  type SealLine,
} from './evidence-file.ts';
import { createCheckChain, type EvidenceProblem, type VerifyEvidenceOptions } from './verify-chain.ts';
import { createTags } from './record-tags.ts';

export interface EvidenceCounts {
  readonly header: EvidenceHeader | undefined;
  readonly records: number;
  /** Records that had no seal yet. */
  readonly unsealed: number;
  readonly seals: number;
  /** Whether the seals prove that no record of the tenant and the period is missing. */
  readonly isComplete: boolean;
  /** Whether the seal of the head is among the seals. Undefined without a head. */
  readonly isHeadCompared: boolean | undefined;
}

/** Characters of a line in a problem. */
const MAX_SHOWN = 60;
/** Records get their seal within seconds. */
const SEALED_WITHIN_MS = 3_600_000;

/** The line of a record. */
type RecordLine = RecordProof & {
  readonly id: string;
  readonly tenantId?: string;
  readonly at: string;
  readonly event: string;
  readonly accountId?: string;
  readonly username?: string;
  readonly actorId?: string;
  readonly clientAddress: string;
  readonly requestId: string;
  readonly sessionId?: string;
  readonly details: unknown;
};

/** Verifies a file. Reports each problem. */
export async function verifyEvidence(options: VerifyEvidenceOptions): Promise<EvidenceCounts> {
  const { lines, key, head, onProblem } = options;
  const secretKey = createSecretKey(key);
  const places = evidencePlaces(key);
  const mac = createEvidenceMac(key);
  const tags = createTags();
  const report = (kind: EvidenceProblem['kind'], detail: string, more: Partial<EvidenceProblem> = {}) =>
    onProblem({ kind, tenantId: undefined, detail, ...more });
  const notEvidence = (text: string) =>
    report('file', `has a line that is not one of evidence: ${text.slice(0, MAX_SHOWN)}`);
  let header: EvidenceHeader | undefined;
  let chain: ReturnType<typeof createCheckChain> | undefined;
  let end: EvidenceEnd | undefined;
  const counts = { records: 0, unsealed: 0, seals: 0 };
  let previous = '';

  function checkLine(text: string): void {
    const line = parse(text);
    if (end !== undefined) return report('file', 'has a line after its end');
    if (header === undefined) {
      if (line?.['evidence'] !== EVIDENCE_VERSION || typeof line['tenant'] !== 'string')
        return report('file', 'does not begin as evidence does');
      header = line as unknown as EvidenceHeader;
      chain = createCheckChain({ ...options, header, tags, parsePlace: places.parse });
    } else if (typeof line?.['id'] === 'string') checkOne(line as unknown as RecordLine);
    else if (typeof line?.['sealNumber'] === 'number') {
      counts.seals += 1;
      chain!.add(line as unknown as SealLine);
    } else if (line?.['end']) return checkEnd(line['end'] as EvidenceEnd, text);
    else notEvidence(text);
    mac.add(text);
  }

  function checkOne(line: RecordLine): void {
    const { id, tenantId, at } = line;
    counts.records += 1;
    if (`${at} ${id}` <= previous) report('inserted', 'is not in its place', { id, tenantId });
    previous = `${at} ${id}`;
    if (line.place === undefined || line.seal === undefined) {
      counts.unsealed += 1;
      if (Date.parse(header!.exportedAt) - Date.parse(at) > SEALED_WITHIN_MS)
        report('inserted', 'has no seal, although it is older than an hour', { id, tenantId });
      return;
    }
    const sequence = places.parse(line.place);
    const seal = Buffer.from(line.seal, 'base64url');
    if (sequence === undefined) return report('changed', 'has a wrong place', { id, tenantId });
    const { isGenuine, isUsernameErased, isAddressErased } = checkRecord(secretKey, valuesOf(line), sequence, seal);
    if (!isGenuine) return report('changed', 'was changed', { id, tenantId });
    if ((isUsernameErased || isAddressErased) && line.erased !== true)
      report('changed', 'lost a value, but no record says that its account was erased', { id, tenantId });
    const isOther = header!.tenant !== '*' && (tenantId ?? '') !== header!.tenant;
    const time = Date.parse(at);
    if (isOther || time < (header!.from ?? -Infinity) || time >= (header!.until ?? Infinity))
      report('inserted', 'does not match the filter of the export', { id, tenantId });
    tags.add(sequence, tagOf(seal));
  }

  function checkEnd(value: EvidenceEnd, text: string): void {
    end = value;
    if (mac.end(value) !== text) report('file', 'is not as the service has exported it');
    if (value.records !== counts.records) report('file', `has ${counts.records} records instead of ${value.records}`);
    if (value.seals !== counts.seals) report('file', `has ${counts.seals} seals instead of ${value.seals}`);
  }

  for await (const text of lines) {
    try {
      checkLine(text);
    } catch (error) {
      // A member is missing or has another type.
      if (!(error instanceof TypeError)) throw error;
      notEvidence(text);
    }
  }
  if (end === undefined) report('cut', 'ends before its last line');
  const isComplete = end?.isComplete === true;
  if (isComplete) chain!.end();
  return {
    header,
    ...counts,
    isComplete,
    isHeadCompared: head && (chain?.isHeadCompared() ?? false),
  };
}

function valuesOf(line: RecordLine) {
  const { id, tenantId, event, accountId, username, actorId, clientAddress, requestId, sessionId } = line;
  const at = Date.parse(line.at);
  const details = JSON.stringify(line.details);
  return { id, tenantId, at, event, accountId, username, actorId, clientAddress, requestId, sessionId, details };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
