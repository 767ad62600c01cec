// Evidence: `audit evidence` writes a file of audit records that proves itself, `audit verify --export` checks it.
import { once } from 'node:events';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { AuditExportFormat, AuditServiceService } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { EvidenceProblem, TrailProblem } from '../../src/composition/verify-locally.ts';
import type { Command, Input } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { loadLocalSettings } from '../local-settings.ts';
import { AUDIT_FILTERS, auditFilterOf } from './audit.ts';

export const AUDIT_EVIDENCE_COMMAND: Command = {
  name: 'audit evidence',
  summary: 'write audit records to a file that proves itself, oldest first',
  arguments: { '<file>': 'a file that does not exist yet' },
  options: {
    ...AUDIT_FILTERS,
    '--from <time>': 'only records from this time on: ISO 8601',
    '--until <time>': 'only records before this time',
    '--format <format>': 'ndjson or csv, which proves nothing (default: ndjson)',
  },
  notes:
    'At most 1,000,000 records. The export itself is recorded. With nothing but --tenant, --from and --until, ' +
    '`audit verify --export` also shows that no record is missing.',
  run: writeEvidence,
};

const FORMATS = ['NDJSON', 'CSV'] as const;
/** A core ends a stream earlier. */
const STREAM_MS = 600_000;
const MAX_SHOWN = 100;

async function writeEvidence({ values, core, terminal }: Input): Promise<number> {
  const file = values.requiredPath('file');
  const isCsv = values.choice('format', FORMATS) === 'CSV';
  const format = isCsv ? AuditExportFormat.AUDIT_EXPORT_FORMAT_CSV : AuditExportFormat.AUDIT_EXPORT_FORMAT_NDJSON;
  const opened = await core();
  const filter = await auditFilterOf(values, opened);
  const range = { from: values.time('from'), until: values.time('until') };
  const { exportAuditRecords } = opened.client(AuditServiceService);
  const options = { timeoutMs: STREAM_MS, signal: terminal.signal };
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await once(output, 'open');
  try {
    for await (const { content } of exportAuditRecords({ ...filter, ...range, format }, options))
      if (!output.write(content)) await once(output, 'drain');
    output.end();
    await once(output, 'close');
  } catch (error) {
    output.destroy();
    // A part of the file proves nothing.
    rmSync(file, { force: true });
    throw error;
  }
  terminal.out(`audit records written to ${file}\n`);
  return EXIT.done;
}

/** Verifies a file of evidence. */
export async function verifyFile(input: Input, file: string, head: string | undefined): Promise<number> {
  const { terminal, json } = input;
  const { verifyExportLocally } = await import('../../src/composition/verify-locally.ts');
  const problems: EvidenceProblem[] = [];
  let count = 0;
  const verification = await verifyExportLocally({
    ...loadLocalSettings(input),
    head,
    lines: linesOf(file, terminal.signal),
    onProblem(problem) {
      count += 1;
      if (problems.length < MAX_SHOWN) problems.push(problem);
    },
  });
  const { records, unsealed, isComplete, isHeadCompared, isHeadSigned } = verification;
  if (head !== undefined && isHeadSigned === undefined)
    terminal.error('warning: the key that signed the head is not kept any more; its MAC was compared\n');
  if (isHeadCompared === false)
    terminal.error('warning: the export does not have the seal of the head, which proves nothing of its end\n');
  if (json) terminal.out(`${JSON.stringify({ ...verification, problemCount: count, problems })}\n`);
  else {
    for (const problem of problems) terminal.out(`${problemText(problem)}\n`);
    if (count > problems.length) terminal.out(`and ${count - problems.length} more\n`);
    const whole = isComplete ? 'none is missing' : 'others can be missing';
    terminal.out(
      `${records} records verified, ${unsealed} without a seal, ${count === 0 ? `${whole}, ` : ''}${count} problems\n`,
    );
  }
  return count === 0 ? EXIT.done : EXIT.failed;
}

/** Reads a file line by line. `readline` would also end a line at U+2028, which a reason can contain. */
async function* linesOf(file: string, signal: AbortSignal): AsyncGenerator<string> {
  try {
    let rest = '';
    for await (const chunk of createReadStream(file, { encoding: 'utf8', signal })) {
      const lines = (rest + (chunk as string)).split(/\r?\n/);
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== '') yield rest;
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Returns a problem of a trail or of evidence as a line. */
export function problemText({
  kind,
  tenantId,
  sequence,
  lastSequence,
  seal,
  id,
  detail,
}: TrailProblem | EvidenceProblem): string {
  if (kind === 'file') return `file: ${detail}`;
  const place =
    lastSequence === undefined
      ? `record ${id ?? ''}${sequence === undefined ? '' : ` at place ${sequence}`}`
      : `records ${sequence} to ${lastSequence}`;
  const subject = seal === undefined ? place : `seal ${seal}`;
  const tenant = tenantId === '*' ? ' of all tenants' : tenantId === undefined ? '' : ` of tenant ${tenantId}`;
  return `${kind}: ${subject.replace('  ', ' ')}${tenant} ${detail}`;
}
