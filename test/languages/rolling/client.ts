// Keep-alive load with fetch and with Node's agent until the standard input ends. Prints the requests and the errors as JSON.
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const CALLERS = 4;
const url = process.argv[2]!;
const agent = new Agent({ keepAlive: true });
const headers = { 'content-type': 'application/json' };
let requests = 0;
let isOver = false;
const errors: string[] = [];

const byFetch = async (): Promise<number> => {
  const response = await fetch(url, { method: 'POST', headers, body: '{}' });
  await response.text();
  return response.status;
};

async function byAgent(): Promise<number> {
  const sent = request(url, { method: 'POST', agent, headers }).end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await text(response);
  return response.statusCode!;
}

async function call(send: () => Promise<number>, number: number): Promise<void> {
  for (let turn = 0; !isOver; turn++) {
    await sleep(10 + ((turn * number) % 7) * 40);
    try {
      const status = await send();
      if (status >= 500) errors.push(String(status));
    } catch (error) {
      errors.push(`${String(error)} ${(error as { cause?: Error }).cause?.message ?? ''}`);
    }
    requests += 1;
  }
}

void text(process.stdin).then(() => (isOver = true));
await Promise.all(
  [byFetch, byAgent].flatMap((send) => Array.from({ length: CALLERS }, (_, number) => call(send, number))),
);
process.stdout.write(`${JSON.stringify({ requests, errors })}\n`);
process.exit();
