// The commands that show the state of the audit trail: its head, and whether its records fit their seals.
import { AuditServiceService } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import { readText } from '../../src/platform/read-text.ts';
import type { TrailProblem } from '../../src/composition/verify-locally.ts';
import type { Command, Input, Values } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { loadLocalSettings } from '../local-settings.ts';
import { problemText, verifyFile } from './audit-evidence.ts';

export const AUDIT_TRAIL_COMMANDS: readonly Command[] = [
  {
    name: 'audit head',
    summary: 'print the last seal of the audit trail, signed',
    options: { '--tenant <id>': 'only the trail of this tenant, for a SUPER_ADMIN' },
    notes: 'Keep it on another machine. With it, `audit verify` shows later if the end of the trail was cut off.',
    async run({ core, values }) {
      const { head } = await (
        await core()
      )
        .client(AuditServiceService)
        .getAuditHead({ tenantId: values.text('tenant') });
      return { value: head!, text: head!.jws };
    },
  },
  {
    name: 'audit verify',
    summary: 'check that no audit record was changed, removed or inserted',
    uses: 'settings',
    options: {
      '--head <file>': 'a file with the output of `audit head`, or the response of GET /api/v1/audit-records/head',
      '--export <file>': 'instead of the trail: a file of `audit evidence`, or of GET /api/v1/audit-records as NDJSON',
    },
    notes:
      'Works on the database of the settings, and needs its key-encryption key. The service may run meanwhile. Without --head, a cut end ' +
      'of the trail is not noticed.',
    run: verifyTrail,
  },
];

/** Problems that are printed. */
const MAX_SHOWN = 100;

async function verifyTrail(input: Input): Promise<number> {
  const { values, terminal, json } = input;
  const head = headOf(values);
  const file = values.path('export');
  if (file !== undefined) return verifyFile(input, file, head);
  const { verifyLocally } = await import('../../src/composition/verify-locally.ts');
  const problems: TrailProblem[] = [];
  let count = 0;
  // The number of batches is known after the first part.
  let bar: ReturnType<typeof terminal.startProgress> | undefined;
  const verification = await verifyLocally({
    ...loadLocalSettings(input),
    head,
    signal: terminal.signal,
    onProblem(problem) {
      count += 1;
      if (problems.length < MAX_SHOWN) problems.push(problem);
    },
    onProgress(done, total, { records }) {
      const text = `${records.toLocaleString('en')} records`;
      bar ??= terminal.startProgress(total, text);
      bar.update(done, text);
    },
  }).finally(() => bar?.stop());
  const { records, removed, erased, isHeadSigned } = verification;
  if (head !== undefined && isHeadSigned === undefined)
    terminal.error('warning: the key that signed the head is not kept any more; its MAC was compared\n');
  if (json) terminal.out(`${JSON.stringify({ ...verification, problemCount: count, problems })}\n`);
  else {
    for (const problem of problems) terminal.out(`${problemText(problem)}\n`);
    if (count > problems.length) terminal.out(`and ${count - problems.length} more\n`);
    const facts = [`${records} records verified`, `${removed} removed by retention or erasure`, `${erased} anonymized`];
    terminal.out(`${facts.join(', ')}, ${count} problems\n`);
  }
  if (terminal.signal.aborted) throw new CommandFailure('interrupted', EXIT.interrupted);
  return count === 0 ? EXIT.done : EXIT.failed;
}

/** Returns the JWS of the head of the options. */
export function headOf(values: Values): string | undefined {
  const file = values.path('head');
  return file === undefined ? undefined : jwsOf(readText(file).trim());
}

/** Returns the JWS of a head, which is also a member of its JSON. */
function jwsOf(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { jws } = JSON.parse(text) as { readonly jws?: unknown };
    if (typeof jws === 'string') return jws;
  } catch {
    // Not JSON.
  }
  throw new CommandFailure('the head is not the output of `audit head`');
}
