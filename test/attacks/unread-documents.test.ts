// Clients that request large bodies that never change, and do not read them. All responses share one body, so the memory of the
// process does not grow by the requested bytes.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endProcesses, SHOP_SETTINGS, startProgram, type ServiceProcess } from '../support/service-process.ts';

const DOCUMENT = '/openapi.json';
const REQUEST = `GET ${DOCUMENT} HTTP/1.1\r\nHost: a\r\n\r\n`;
const CLIENTS = 800;
/** As many as fit into 59,000 bytes. */
const PIPELINED = Math.floor(59_000 / REQUEST.length);
/** The requests themselves take some 50 kB each. A body takes 0.4 MB. */
const MAX_GROWTH_MB = 200;

let service: ServiceProcess;
let url: string;
let sockets: Socket[];
/** The length of the body. */
let bytes: number;

beforeEach(async () => {
  sockets = [];
  service = startProgram('gateway', { settings: { ...SHOP_SETTINGS, 'app.http.docs': 'true' } });
  url = (await service.ready()).http;
  // The first request creates the bodies.
  bytes = (await (await fetch(url + DOCUMENT)).arrayBuffer()).byteLength;
  expect(bytes).toBeGreaterThan(400_000);
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await endProcesses();
});

/** In megabytes. */
function memory(): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))!;
  return Number(kilobytes) / 1024;
}

/** The used CPU time in ticks. */
function cpuTime(): number {
  const fields = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Returns the largest growth of the memory until the process has no more work. Stops early above the limit. */
async function growthUntilIdle(before: number): Promise<number> {
  let growth = 0;
  for (let quiet = 0, last = -1; quiet < 10; quiet = cpuTime() - last <= 1 ? quiet + 1 : 0) {
    growth = Math.max(growth, memory() - before);
    if (growth > MAX_GROWTH_MB) return growth;
    last = cpuTime();
    await sleep(100);
  }
  return growth;
}

function openSocket(requests: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.pause();
      socket.write(requests);
      resolve(socket);
    });
    socket.once('error', reject);
    sockets.push(socket);
  });
}

/** Reads a socket until its first response is complete. */
async function readBody(socket: Socket): Promise<void> {
  let received = 0;
  for await (const chunk of socket) {
    received += (chunk as Buffer).length;
    if (received > bytes) return;
  }
  throw new Error(`the connection ended after ${received} bytes`);
}

it(`${CLIENTS} clients that do not read share one body`, async () => {
  const before = memory();
  await Promise.all(Array.from({ length: CLIENTS }, () => openSocket(REQUEST)));
  expect(await growthUntilIdle(before)).toBeLessThan(MAX_GROWTH_MB);
  await readBody(sockets.at(-1)!);
});

it(`${PIPELINED} pipelined requests on one connection that does not read share one body`, async () => {
  const before = memory();
  await openSocket(REQUEST.repeat(PIPELINED));
  expect(await growthUntilIdle(before)).toBeLessThan(MAX_GROWTH_MB);
  await readBody(sockets.at(-1)!);
});
