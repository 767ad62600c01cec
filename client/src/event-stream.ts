// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). EventSource cannot send a credential.
import { ApiError, noResponse } from './api-error.ts';
import { after } from './timers.ts';

/** An event of a stream, or a comment with its id. */
export interface ServerEvent {
  /** The place after it. */
  readonly id: string | undefined;
  /** Empty for a comment. */
  readonly type: string;
  readonly data: string;
}

/** The service sends a comment every 15 s. */
const SILENCE_MS = 40_000;

/** Reads the events of a stream. Rejects with an ApiError if the connection is lost, also without a sign of it. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const chunk = await readChunk(reader);
      if (chunk === undefined) return;
      const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) yield parseEvent(block);
    }
  } finally {
    // Of a lost connection, the promise rejects.
    reader.cancel().catch(() => undefined);
  }
}

/** Settles like the promise, or rejects after the longest silence of a stream. */
export async function withinSilence<T>(promise: Promise<T>): Promise<T> {
  let stopWaiting = (): void => undefined;
  const silence = new Promise<never>((_, reject) => {
    stopWaiting = after(SILENCE_MS, () => reject(connectionLost(new Error(`no data for ${SILENCE_MS} ms`))));
  });
  return Promise.race([promise, silence]).finally(stopWaiting);
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await withinSilence(reader.read());
    return done ? undefined : value;
  } catch (error) {
    throw error instanceof ApiError ? error : connectionLost(error);
  }
}

const connectionLost = (cause: unknown): ApiError =>
  noResponse('service-unreachable', 'The connection was lost', cause);

function parseEvent(block: string): ServerEvent {
  const lines = block.split('\n');
  const valueOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return { id: valueOf('id'), type: valueOf('event') ?? '', data: valueOf('data') ?? '' };
}
