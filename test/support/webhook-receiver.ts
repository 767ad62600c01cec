// A receiver of webhooks: a real HTTP server that keeps what it gets.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from './listen-locally.ts';

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>;

/** A response with a body. */
interface TextResponse {
  readonly status: number;
  readonly text: string;
}

/** @param respond Returns the status of a response; undefined never responds. Default: 204. */
export async function startWebhookReceiver(
  respond: (received: ReceivedWebhook) => number | TextResponse | undefined | Promise<number> = () => 204,
) {
  const received: ReceivedWebhook[] = [];
  const options = { respond };
  const server = createServer((request, response) => {
    void buffer(request).then(async (bytes) => {
      const text = bytes.toString();
      const webhook = { headers: request.headers, text, body: JSON.parse(text) as ReceivedWebhook['body'] };
      received.push(webhook);
      const responded = await options.respond(webhook);
      if (responded === undefined) return;
      const { status, text: body } = typeof responded === 'number' ? { status: responded, text: '' } : responded;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(body);
    });
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    /** Changes the responses. */
    set respond(next: typeof respond) {
      options.respond = next;
    },
    types: () => received.map(({ body }) => body.type),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns for each signature of a request whether a secret (`whsec_…`) made it. */
export function signedBy({ headers, text }: ReceivedWebhook, secret: string): readonly boolean[] {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${text}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return (headers['webhook-signature'] as string).split(' ').map((signature) => signature === expected);
}
