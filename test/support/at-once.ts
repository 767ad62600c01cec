// Requests that race each other, on machines of any speed.
import type { RestResponse } from './rest-client.ts';

/** Repeats a request while the service is too busy for it: what is answered by 503 has not happened. */
export async function untilServed(request: () => Promise<RestResponse>): Promise<RestResponse> {
  for (;;) {
    const response = await request();
    if (response.status !== 503) return response;
  }
}

/** Sends as many requests at once, each until it is served. */
export function atOnce(count: number, request: () => Promise<RestResponse>): Promise<RestResponse[]> {
  return Promise.all(Array.from({ length: count }, () => untilServed(request)));
}
