// `audit tail` on streams that are lost, refused and ended.
import { expect, it } from 'vitest';
import { AUDIT_TAIL_COMMAND } from '../../cli/commands/audit-tail.ts';
import { Values } from '../../cli/command.ts';
import type { Core } from '../../cli/core/core.ts';
import type { ReasonName } from '../../src/platform/errors.ts';
import { refused } from '../support/fake-core.ts';

/** Records above 100 have an actor, those above 101 his name. */
const recordOf = (number: number) => ({
  cursor: `${number}`,
  record: {
    id: `record-${number}`,
    at: new Date(number),
    event: 'login.succeeded',
    username: `user-${number}`,
    ...(number > 100 && { actorId: 'ann-id' }),
    ...(number > 101 && { causedBy: { id: 'ann-id', username: 'ann' } }),
    clientAddress: '192.0.2.1',
    requestId: `${number}`,
    details: '{}',
  },
});

/** The numbers of the records of each message of a stream, and how it ends. Without a reason, the core ends it. */
interface Stream {
  readonly messages: readonly (readonly number[])[];
  readonly end?: ReasonName | 'never';
}

interface Requested {
  readonly after: string | undefined;
  readonly events: readonly string[];
}

/** Follows streams until the last one has sent its messages. */
async function follow(streams: readonly Stream[], options: Readonly<Record<string, unknown>> = {}) {
  const ctrlC = new AbortController();
  const [out, errors, requests]: [string[], string[], Requested[]] = [[], [], []];
  async function* streamAuditRecords(request: Requested, { signal }: { signal: AbortSignal }) {
    requests.push(request);
    const { messages, end } = streams[requests.length - 1]!;
    for (const numbers of messages)
      yield { records: numbers.map(recordOf), cursor: `${numbers.at(-1) ?? request.after ?? 0}` };
    if (end === 'never') {
      queueMicrotask(() => ctrlC.abort());
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(refused('SERVICE_UNAVAILABLE'))));
    } else if (end !== undefined) throw refused(end);
  }
  const core: Core = { client: () => ({ streamAuditRecords }) as never, close: async () => undefined };
  const code = await AUDIT_TAIL_COMMAND.run({
    values: new Values({ format: 'jsonl', ...options }, '/'),
    settingFlags: [],
    json: false,
    core: async () => core,
    terminal: {
      env: {},
      cwd: '/',
      signal: ctrlC.signal,
      callerFolder: '/',
      columns: undefined,
      out: (text) => void out.push(text),
      error: (text) => void errors.push(text),
      ask: async () => undefined,
      readSecret: async () => '',
      wait: async () => undefined,
      startProgress: () => ({ update: () => undefined, stop: () => undefined }),
    },
  });
  return { code, out, errors, requests };
}

const idsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).id);
const FOLLOWING = 'following the audit trail, Ctrl-C ends\n';

it('resumes a lost stream after the last record, and prints each once', async () => {
  const { code, out, errors, requests } = await follow(
    [
      { messages: [[], [1, 2], [3]], end: 'SERVICE_UNAVAILABLE' },
      { messages: [], end: 'SERVICE_UNAVAILABLE' },
      { messages: [[], [4]] },
      { messages: [[5]], end: 'TOKEN_INVALID' },
      { messages: [[]], end: 'never' },
    ],
    { event: ['login.succeeded'] },
  );
  expect(code).toBe(0);
  expect(idsOf(out)).toEqual([1, 2, 3, 4, 5].map((number) => `record-${number}`));
  expect(requests.map(({ after }) => after)).toEqual([undefined, '3', '3', '4', '5']);
  expect(requests[1]!.events).toEqual(['login.succeeded']);
  expect(errors).toEqual([FOLLOWING, 'the connection was lost, trying again\n']);
}, 20_000);

it('prints lines for people by default, and refuses other formats', async () => {
  const { out } = await follow([{ messages: [[1]], end: 'never' }], { format: undefined });
  expect(out).toEqual([expect.stringMatching(/^\S+ login\.succeeded user-1 address=192\.0\.2\.1\n$/)]);
  await expect(follow([], { format: 'csv' })).rejects.toThrow('--format');
});

it('prints the name of who caused a record, or the id of one whose name nobody knows', async () => {
  const { out, requests } = await follow([{ messages: [[1, 101, 102], [103]], end: 'never' }], { format: undefined });
  expect(out.map((line) => [/user-\d+/.exec(line)?.[0], /actor=(\S+)/.exec(line)?.[1]])).toEqual([
    ['user-1', undefined],
    ['user-101', 'ann-id'],
    ['user-102', 'ann'],
    ['user-103', 'ann'],
  ]);
  expect(requests).toHaveLength(1);
});

it.each(['SERVICE_UNAVAILABLE', 'TOKEN_INVALID', 'PERMISSION_DENIED'] as const)(
  'fails with %s if there was no stream yet',
  async (end) => {
    await expect(follow([{ messages: [], end }])).rejects.toMatchObject({ status: { reason: end } });
  },
);

it('fails if the permission is gone', async () => {
  await expect(follow([{ messages: [[], [1]], end: 'PERMISSION_DENIED' }])).rejects.toThrow('PERMISSION_DENIED');
});
