// Checks the seals of evidence: that they are one chain, that each record of the period is there, and that the chain has the seal of a head.
import { hash } from 'node:crypto';
import { macOf, removalMacOf, type Seal } from '../seals/seal-chain.ts';
import type { TrailProblem } from '../seals/verify-seal.ts';
import type { KeptHead } from '../seals/verify-trail.ts';
import type { createTags } from './record-tags.ts';
import { base64, isSame, type EvidenceHeader, type SealLine } from './evidence-file.ts';
import { overlapOf } from './seal-lines.ts';

export interface VerifyEvidenceOptions {
  readonly lines: AsyncIterable<string>;
  readonly key: Uint8Array;
  readonly head?: KeptHead | undefined;
  /** When the head was signed, Unix milliseconds. */
  readonly headSignedAt?: number | undefined;
  readonly onProblem: (problem: EvidenceProblem) => void;
}

/** `file`: the file as a whole, or a line that is none of evidence. */
export type EvidenceProblem = Omit<TrailProblem, 'kind'> & { readonly kind: TrailProblem['kind'] | 'file' };

interface CheckChainOptions extends Omit<VerifyEvidenceOptions, 'lines'> {
  readonly header: EvidenceHeader;
  readonly tags: ReturnType<typeof createTags>;
  readonly parsePlace: (place: string) => number | undefined;
}

export function createCheckChain(options: CheckChainOptions) {
  const { key, head, header, tags, parsePlace, onProblem } = options;
  const { tenant } = header;
  let previous: Seal | undefined;
  let covered = 0;
  let isHeadCompared = false;

  const report = (kind: EvidenceProblem['kind'], seal: number, detail: string) =>
    onProblem({ kind, tenantId: tenant, seal, detail });

  function checkRecords(line: SealLine, seal: Seal): void {
    if (overlapOf(seal, header) === 'none') return;
    const inFile = tags.between(seal.firstSequence, seal.lastSequence);
    const others = (line.others ?? []).map(
      ([place, tag]) => [parsePlace(place) ?? Number.NaN, Buffer.from(tag, 'base64url')] as const,
    );
    covered += inFile.length;
    // The retention can have removed its records while the export was written.
    if (line.removal) return;
    const all = [...inFile, ...others].toSorted(([one], [other]) => one - other);
    const missing = seal.lastSequence - seal.firstSequence + 1 - all.length;
    if (missing > 0) return report('removed', seal.number, `lacks ${missing} of its records`);
    const digest = hash('sha256', Buffer.concat(all.map(([, tag]) => tag)), 'buffer');
    if (!isSame(digest, seal.digest)) report('seal-changed', seal.number, 'does not fit its records');
  }

  return {
    /** Checks the next seal. All records were read before. */
    add(line: SealLine): void {
      const seal = sealOf(line, tenant, parsePlace);
      if (!seal) return report('seal-changed', line.sealNumber, 'has a wrong place');
      if (previous && seal.number !== previous.number + 1)
        report('seal-removed', seal.number, `follows seal ${previous.number}`);
      else if (!previous && seal.number > 1 && line.previousMac === undefined)
        report('seal-changed', seal.number, 'lacks the MAC of the seal before it');
      const given = line.previousMac === undefined ? undefined : Buffer.from(line.previousMac, 'base64url');
      if (!isSame(macOf(key, seal, previous?.mac ?? given), seal.mac))
        report('seal-changed', seal.number, 'has a wrong MAC');
      checkRemoval(line, seal);
      checkRecords(line, seal);
      if (head?.tenant === tenant && head.number === seal.number) {
        isHeadCompared = true;
        if (!isSame(head.mac, seal.mac)) report('seal-changed', seal.number, 'differs from the kept head');
      }
      previous = seal;
    },
    /** Checks that all records have a seal, and that the chain was not cut before the export. */
    end(): void {
      if (covered < tags.size)
        onProblem({ kind: 'inserted', tenantId: tenant, detail: `has ${tags.size - covered} records without a seal` });
      const last = previous?.number ?? 0;
      const isOlder = options.headSignedAt !== undefined && options.headSignedAt <= Date.parse(header.exportedAt);
      if (head?.tenant === tenant && head.number > last && isOlder)
        report('cut', head.number, `is missing; the last seal of the export is ${last}`);
    },
    isHeadCompared: () => isHeadCompared,
  };

  function checkRemoval({ removal }: SealLine, seal: Seal): void {
    if (!removal) return;
    const { mac, ...facts } = removal;
    if (base64(removalMacOf(key, seal, facts)) !== mac)
      report('seal-changed', seal.number, 'has a wrong MAC of the removal of its records');
    else if (facts.removedAt - seal.newestAt < facts.keptMs)
      report('seal-changed', seal.number, 'lost its records before the end of the retention');
  }
}

function sealOf(line: SealLine, tenant: string, parsePlace: CheckChainOptions['parsePlace']): Seal | undefined {
  const [firstSequence, lastSequence] = [parsePlace(line.first), parsePlace(line.last)];
  if (firstSequence === undefined || lastSequence === undefined) return undefined;
  const { sealNumber: number, newestAt, sealedAt } = line;
  const [digest, mac] = [line.digest, line.mac].map((text) => Buffer.from(text, 'base64url'));
  return { tenant, number, firstSequence, lastSequence, newestAt, sealedAt, digest: digest!, mac: mac! };
}
