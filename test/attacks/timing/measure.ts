// Measures whether response times tell kinds of subjects apart.
import { Agent, request as openRequest } from 'node:http';

/** One HTTP request. */
export interface TimedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface TimedResponse {
  readonly milliseconds: number;
  /** Status, headers and body, without those that differ between any two responses. */
  readonly shape: string;
}

/** Sends requests one after the other on one connection. */
export function openConnection(url: string): {
  send(request: TimedRequest): Promise<TimedResponse>;
  close(): void;
} {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers = {}, body = '' }) =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        const sending = openRequest(
          new URL(path, url),
          { agent, method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.once('error', reject);
            response.once('end', () => {
              const milliseconds = performance.now() - started;
              const { date: _date, 'x-request-id': _id, ...others } = response.headers;
              const shape = JSON.stringify([response.statusCode, others, Buffer.concat(chunks).toString()]);
              resolve({ milliseconds, shape });
            });
          },
        );
        sending.once('error', reject);
        sending.end(body);
      }),
  };
}

/** Sends one request of each kind per round, in random order. Returns the times and the shapes of the responses by kind. */
export async function measureRounds<Kind extends string>(
  kinds: readonly Kind[],
  rounds: number,
  send: (kind: Kind, round: number) => Promise<TimedResponse>,
): Promise<{ readonly times: Readonly<Record<Kind, readonly number[]>>; readonly shapes: ReadonlySet<string> }> {
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
  const shapes = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of shuffled(kinds)) {
      const { milliseconds, shape } = await send(kind, round);
      times[kind].push(milliseconds);
      shapes.add(shape);
    }
  }
  return { times, shapes };
}

const Z_LIMIT = 3;

interface Measurement {
  readonly warmUpRounds: number;
  readonly rounds: number;
  readonly smallestMs?: number;
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/**
 * Returns the kinds that two measurements tell from the first kind, with their z values, or the responses if they differ.
 *
 * @param smallestMs Smaller differences, by their median, are not leaks.
 * @param send Its rounds are numbered through all measurements.
 */
export async function findLeaks<Kind extends string>(
  kinds: readonly Kind[],
  { warmUpRounds, rounds, smallestMs = 0 }: Measurement,
  send: (kind: Kind, round: number) => Promise<TimedResponse>,
): Promise<string[]> {
  const [reference, ...others] = kinds as readonly [Kind, ...Kind[]];
  const measure = async (measured: readonly Kind[], count: number, start: number) => {
    const { times, shapes } = await measureRounds(measured, count, (kind, round) => send(kind, start + round));
    const zOf = (kind: Kind) => {
      const differences = times[kind].map((time, index) => time - times[reference][index]!);
      return Math.abs(medianOf(differences)) < smallestMs ? 0 : zOfPairs(times[kind], times[reference]);
    };
    return { shapes, zOf };
  };
  await measure(kinds, warmUpRounds, 0);
  const { shapes, zOf } = await measure(kinds, rounds, warmUpRounds);
  if (shapes.size > 1) return [...shapes];
  const suspects = others.filter((kind) => Math.abs(zOf(kind)) >= Z_LIMIT);
  if (suspects.length === 0) return [];
  const again = await measure([reference, ...suspects], rounds, warmUpRounds + rounds);
  return suspects
    .filter((kind) => again.zOf(kind) * Math.sign(zOf(kind)) >= Z_LIMIT)
    .map((kind) => `${kind}: z = ${zOf(kind).toFixed(1)}, then ${again.zOf(kind).toFixed(1)}`);
}

function shuffled<T>(items: readonly T[]): T[] {
  const order = items.map((item) => ({ item, place: Math.random() }));
  return order.toSorted((a, b) => a.place - b.place).map(({ item }) => item);
}

/**
 * The z value of Wilcoxon's signed-rank test on pairs of times: near 0 if the two kinds cannot be told apart, positive if
 * the first takes longer. If they are equal, |z| is at least 3 in 1 of 370 measurements.
 */
export function zOfPairs(first: readonly number[], second: readonly number[]): number {
  const differences = first.map((time, index) => time - second[index]!).filter((difference) => difference !== 0);
  const ranked = differences.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  const sum = ranked.reduce((total, difference, index) => total + Math.sign(difference) * (index + 1), 0);
  const n = ranked.length;
  return n === 0 ? 0 : sum / Math.sqrt((n * (n + 1) * (2 * n + 1)) / 6);
}
