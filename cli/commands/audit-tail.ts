// `audit tail` prints audit records as they are sealed. It resumes a lost stream.
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditServiceService, type StreamedAuditRecord } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Command, Input } from '../command.ts';
import type { Core } from '../core/core.ts';
import { EXIT, failureOf } from '../failure.ts';
import { AUDIT_FILTERS, auditFilterOf, auditLine, auditRow } from './audit.ts';
import { auditRecord } from './records.ts';

export const AUDIT_TAIL_COMMAND: Command = {
  name: 'audit tail',
  summary: 'print audit records as they occur, until Ctrl-C',
  options: {
    ...AUDIT_FILTERS,
    '--for <duration>': 'end after this time',
    '--format <format>': 'text or jsonl (default: text)',
  },
  notes: 'After a lost connection, it goes on after the last record: each is printed once.',
  run: tail,
};

const FORMATS = ['TEXT', 'JSONL'] as const;
/** A core ends a stream earlier, and then it is opened again. */
const STREAM_MS = 600_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
const LOST = ['SERVICE_UNAVAILABLE', 'AUTHENTICATION_SERVICE_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'TOO_MANY_REQUESTS'];
/** A stream ends with its access token. The next one has a new token. */
const EXPIRED = 'TOKEN_INVALID';

type Filter = Awaited<ReturnType<typeof auditFilterOf>>;

async function tail({ values, core, terminal, json }: Input): Promise<number> {
  const asLines = json || values.choice('format', FORMATS) === 'JSONL';
  const forMs = values.text('for') === undefined ? undefined : values.duration('for', STREAM_MS);
  const ends = forMs === undefined ? [] : [AbortSignal.timeout(forMs)];
  const signal = AbortSignal.any([terminal.signal, ...ends]);
  const opened = await core();
  const filter = await auditFilterOf(values, opened);
  let place: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    let isOpen = false;
    try {
      for await (const { records, cursor } of stream(opened, filter, place, signal)) {
        if (place === undefined) terminal.error('following the audit trail, Ctrl-C ends\n');
        isOpen = true;
        failures = 0;
        for (const record of records) {
          terminal.out(textOf(record));
          place = record.cursor;
        }
        place = cursor;
      }
    } catch (error) {
      if (signal.aborted) break;
      const { reason = '' } = failureOf(error);
      const canResume = place !== undefined && (LOST.includes(reason) || (isOpen && reason === EXPIRED));
      if (!canResume) throw error;
      if (failures === 0 && reason !== EXPIRED) terminal.error('the connection was lost, trying again\n');
      failures += 1;
    }
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
  return EXIT.done;

  function textOf({ record }: StreamedAuditRecord): string {
    const value = auditRecord(record!);
    return asLines ? `${JSON.stringify(value)}\n` : auditLine(auditRow(value));
  }
}

function stream(core: Core, filter: Filter, after: string | undefined, signal: AbortSignal) {
  const { streamAuditRecords } = core.client(AuditServiceService);
  const range = { from: undefined, until: undefined };
  return streamAuditRecords({ ...filter, ...range, after }, { timeoutMs: STREAM_MS, signal });
}
