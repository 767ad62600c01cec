// Requests that race each other, on machines of any speed.
import type { Answer } from './rest-client.ts';

/** Repeats a request while the service is too busy for it: what is answered by 503 has not happened. */
export async function untilServed(request: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await request();
    if (answer.status !== 503) return answer;
  }
}

/** Sends as many requests at once, each until it is served. */
export function atOnce(count: number, request: () => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, () => untilServed(request)));
}
