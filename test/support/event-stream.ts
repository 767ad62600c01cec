// Reads server-sent events as they arrive.
import { setTimeout as sleep } from 'node:timers/promises';

export interface StreamedEvent {
  readonly event: string;
  /** The cursor; undefined if the stream cannot be resumed. */
  readonly id: string | undefined;
  readonly data: any; // Tests assert on data of any type.
  /** When it arrived: performance.now(). */
  readonly at: number;
}

export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** The body of an error response; empty for an event stream. */
  readonly text: string;
  readonly events: readonly StreamedEvent[];
  readonly comments: readonly string[];
  /** Resolves to the first event with this name and id. Rejects after some seconds. */
  find(event: string, id?: string, times?: number): Promise<StreamedEvent>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

const FIND_MS = 10_000;

/** Opens a stream and waits for the response's header. */
export async function openEvents(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const events: StreamedEvent[] = [];
  const comments: string[] = [];
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await response.text();
  const ended = isStream ? read(response, events, comments).catch(() => {}) : Promise.resolve();
  return {
    status: response.status,
    headers: response.headers,
    text,
    events,
    comments,
    ended,
    async find(event, id, times = 1) {
      const isWanted = (one: StreamedEvent) => one.event === event && (id === undefined || one.data.id === id);
      for (const end = performance.now() + FIND_MS; performance.now() < end; await sleep(5)) {
        const found = events.filter(isWanted)[times - 1];
        if (found) return found;
      }
      throw new Error(`no event ${event} ${id ?? ''} among ${JSON.stringify(events)}`);
    },
    close: () => controller.abort(),
  };
}

async function read(response: Response, events: StreamedEvent[], comments: string[]): Promise<void> {
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      if (block.startsWith(':')) comments.push(block.slice(1).trim());
      const [, event, id, data] = /^event: (.*)\n(?:id: (.*)\n)?data: (.*)$/.exec(block) ?? [];
      if (event) events.push({ event, id, data: JSON.parse(data!) as unknown, at: performance.now() });
    }
  }
}
