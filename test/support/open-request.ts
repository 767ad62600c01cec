// Requests whose body is sent in pieces, or whose response is read when the test wants it.
import { request, type IncomingMessage } from 'node:http';

export interface OpenResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An upload in progress. */
export interface OpenUpload {
  send(bytes: Buffer): Promise<void>;
  /** Sends the last bytes. */
  finish(bytes: Buffer): void;
  readonly response: Promise<OpenResponse>;
}

/** Starts a request with a body of `length` bytes. */
export function openUpload(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  length: number,
): OpenUpload {
  const sending = request(url, { method, headers: { ...headers, 'content-length': length }, agent: false });
  // An early response may be followed by the end of the connection.
  sending.on('error', () => {});
  const wholeResponse = new Promise<OpenResponse>((resolve, reject) => {
    sending.once('close', () => reject(new Error('The connection ended without a response')));
    sending.once('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({
          status: response.statusCode!,
          headers: new Headers(response.headers as Record<string, string>),
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
  });
  wholeResponse.catch(() => {});
  return {
    send: (bytes) => new Promise((resolve) => void sending.write(bytes, () => resolve())),
    finish: (bytes) => void sending.end(bytes),
    response: wholeResponse,
  };
}

/** A download whose first bytes have arrived and whose rest is unread. */
export interface OpenDownload {
  /** Reads the rest; how many bytes came in all, and whether all that were announced. */
  rest(): Promise<{ readonly received: number; readonly complete: boolean }>;
}

export function openDownload(url: string, headers: Readonly<Record<string, string>>): Promise<OpenDownload> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { headers, agent: false });
    sending.once('error', reject);
    sending.once('response', (response: IncomingMessage) => {
      if (response.statusCode !== 200) return reject(new Error(`no download: ${response.statusCode}`));
      let received = 0;
      response.once('readable', () => {
        received += (response.read() as Buffer | null)?.length ?? 0;
        resolve({
          rest: () =>
            new Promise((done) => {
              response.on('data', (chunk: Buffer) => {
                received += chunk.length;
              });
              response.on('error', () => {});
              response.once('close', () => done({ received, complete: response.complete }));
              response.resume();
            }),
        });
      });
    });
    sending.end();
  });
}
