// Audit records as OpenTelemetry logs, sent by OTLP/HTTP in its JSON encoding: https://opentelemetry.io/docs/specs/otlp/#otlphttp
import type { JobSlices } from '../../../platform/jobs/background.ts';
import { levelOfEvent } from '../trail/audit-log.ts';
import type { SealedRecord } from './follow-records.ts';

export interface OtlpLogsOptions {
  /** Base URL of the collector's OTLP/HTTP receiver. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly environment: string;
  /** Further headers of the requests, such as an API key of the collector. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What became of the first records of a request. */
export interface SentLogs {
  /** Their number. The collector is not asked again for them. */
  readonly sent: number;
  /** How many of them the collector does not keep. */
  readonly rejected: number;
  /** Whether it refuses the request itself: fewer records, or the others, can be accepted. */
  readonly isRefused: boolean;
}

/** The request of a job. */
export interface SendContext {
  readonly now: number;
  /** Ends the request. */
  readonly stopping: AbortSignal;
  readonly slices: Pick<JobSlices, 'map'>;
}

export type OtlpLogs = ReturnType<typeof createOtlpLogs>;

/** Collectors accept at least 4 MB. A request has one record at least. */
const MAX_BODY_CHARS = 1_000_000;
const TIME_LIMIT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;
/** Bad Request and Content Too Large. The specification says that such a request is not repeated. */
const REFUSED = new Set([400, 413]);
/** Numbers of the specification's SeverityNumber. */
const SEVERITIES = { info: [9, 'INFO'], warn: [13, 'WARN'] } as const;

/** Creates the way to a collector. */
export function createOtlpLogs({ endpoint, serviceName, environment, headers = {} }: OtlpLogsOptions) {
  const allHeaders = toHeaders({ ...headers, 'content-type': 'application/json' });
  const url = `${endpoint.replace(/\/$/, '')}/v1/logs`;
  const resource = {
    attributes: attributesOf({
      'service.name': serviceName,
      'deployment.environment.name': environment.toLowerCase(),
    }),
  };

  return {
    /** Sends the first of some records, as many as fit. Throws if the collector has neither accepted nor refused them. */
    async send(records: readonly SealedRecord[], { now, stopping, slices }: SendContext): Promise<SentLogs> {
      const logRecords = firstThatFit(await slices.map(records, (record) => JSON.stringify(logRecordOf(record, now))));
      const scope = JSON.stringify({ name: 'authservice.audit' });
      const response = await fetch(url, {
        method: 'POST',
        headers: allHeaders,
        body: `{"resourceLogs":[{"resource":${JSON.stringify(resource)},"scopeLogs":[{"scope":${scope},"logRecords":[${logRecords.join(',')}]}]}]}`,
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), stopping]),
      });
      const text = await readStart(response);
      const sent = logRecords.length;
      if (REFUSED.has(response.status)) return { sent, rejected: sent, isRefused: true };
      if (!response.ok) throw new Error(`the collector responded ${response.status}`);
      return { sent, rejected: Math.min(rejectedOf(text), sent), isRefused: false };
    },
  };
}

/** The error of an invalid header has its value, which can be a secret. This one has its name only. */
function toHeaders(values: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(values)) {
    try {
      headers.set(name, value);
    } catch {
      throw new Error(
        `OTEL_EXPORTER_OTLP_HEADERS: the name or the value of the header ${JSON.stringify(name)} is invalid`,
      );
    }
  }
  return headers;
}

/** Returns a record as a LogRecord of OTLP. Records with the same `log.record.uid` are one: it was sent twice. */
function logRecordOf(record: SealedRecord, now: number): object {
  const { id, at, event, tenantId, accountId, username, actorId, clientAddress, requestId, sessionId, sequence } =
    record;
  const [severityNumber, severityText] = SEVERITIES[levelOfEvent(event)];
  const details = Object.entries(JSON.parse(record.details) as Record<string, unknown>);
  return {
    timeUnixNano: nanosecondsOf(at),
    observedTimeUnixNano: nanosecondsOf(now),
    severityNumber,
    severityText,
    eventName: event,
    // For collectors and stores that do not know eventName yet.
    body: { stringValue: event },
    attributes: attributesOf({
      'log.record.uid': id,
      'user.id': accountId,
      'user.name': username,
      'client.address': clientAddress,
      'authservice.tenant.id': tenantId,
      'authservice.actor.id': actorId,
      'authservice.request.id': requestId,
      'session.id': sessionId,
      'authservice.audit.sequence': sequence,
      ...Object.fromEntries(details.map(([name, value]) => [`authservice.details.${name}`, value])),
    }),
  };
}

const nanosecondsOf = (milliseconds: number): string => `${milliseconds}000000`;

function attributesOf(values: Readonly<Record<string, unknown>>): readonly object[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

function toAnyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  // 64-bit integers are texts in JSON.
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  return typeof value === 'number' ? { doubleValue: value } : { stringValue: JSON.stringify(value) };
}

function firstThatFit(texts: readonly string[]): readonly string[] {
  let chars = 0;
  const end = texts.findIndex((text, index) => (chars += text.length) > MAX_BODY_CHARS && index > 0);
  return end === -1 ? texts : texts.slice(0, end);
}

/** Reads a response as far as it is of interest. Closes the connection of a longer one. */
async function readStart(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_RESPONSE_BYTES) break;
  }
  return text;
}

/** Returns the number of records that a collector has rejected for good. They must not be sent again. */
function rejectedOf(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedLogRecords?: string | number } };
    return Math.max(0, Number(partialSuccess?.rejectedLogRecords ?? 0)) || 0;
  } catch {
    return 0;
  }
}
