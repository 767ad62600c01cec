// What unit tests of the client need.
import { vi } from 'vitest';

/** An unsigned access token. */
export function accessToken(claims: Record<string, unknown> = {}): string {
  const iat = Math.floor(Date.now() / 1000);
  const payload = {
    sub: 'user-1',
    sid: 'session-1',
    roles: ['ROLE_ADMIN'],
    iat,
    exp: iat + 900,
    jti: Math.random(),
    ...claims,
  };
  return `h.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.s`;
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export interface Sent {
  readonly path: string;
  readonly init: RequestInit;
  readonly headers: Headers;
}

/** A fetch whose responses come from a function by the path. */
export function fakeFetch(response: (sent: Sent) => Response | Promise<Response>): {
  fetch: typeof fetch;
  sent: Sent[];
} {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init = {}) => {
      const { pathname, search } = new URL(input as string);
      const call = { path: pathname + search, init, headers: new Headers(init.headers) };
      sent.push(call);
      return response(call);
    },
  };
}

/** Resolves when a state is reached that needs turns of the event loop, but no timer. */
export async function turnsUntil(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise<void>((resolve) => void setImmediate(resolve));
}

/** Lets fake time pass in short steps, with turns of the event loop for the locks and messages of the runtime. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await vi.advanceTimersByTimeAsync(Math.min(left, STEP_MS));
    for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}
const STEP_MS = 10;

/** Local storage in memory. */
export function memoryStorage(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    clear: () => values.clear(),
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}
