// A log whose reader stops or closes loses lines, without any other effect.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  emptyFolder,
  endProcesses,
  freePort,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
  type SettingFlags,
} from '../support/service-process.ts';

const ORDERLY = { code: 0, signal: null };
/** Each is refused and logged, in more than 1 kB; that is more than a pipe and the queue hold. */
const CALLS = 1_800;
const AT_ONCE = 20;
/** What the process may grow by: the queue of 1 MiB, and what any 1,800 calls leave in the heap. */
const GROWTH_KB = 64 * 1024;

const descriptors: number[] = [];
afterEach(async () => {
  await endProcesses();
  for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
});

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/** A named pipe: its reading end, which does not wait, and its writing end. */
function namedPipe() {
  const path = join(emptyFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, O_RDONLY | O_NONBLOCK);
  const writer = openSync(path, O_WRONLY);
  return { path, reader, writer };
}

async function settings(more: SettingFlags = {}): Promise<SettingFlags> {
  return {
    ...SHOP_SETTINGS,
    'app.database.url': `sqlite:${join(emptyFolder(), 'service.db')}`,
    'app.log.level': 'debug',
    'app.http.port': await freePort(),
    'app.management.port': await freePort(),
    ...more,
  };
}

const httpOf = (flags: SettingFlags) => `http://127.0.0.1:${flags['app.http.port']}`;
const managementOf = (flags: SettingFlags) => `http://127.0.0.1:${flags['app.management.port']}`;

/** Waits until the service is ready; its log is not asked. */
async function untilReady(flags: SettingFlags): Promise<void> {
  const giveUpAt = performance.now() + 30_000;
  for (;;) {
    const response = await fetch(`${httpOf(flags)}/health/ready`).catch(() => undefined);
    if (response?.status === 200) return;
    if (performance.now() > giveUpAt) throw new Error('not ready within 30 s');
    await sleep(50);
  }
}

/** Sends refused calls, some at a time, and returns their statuses. */
async function refusedCalls(flags: SettingFlags, count = CALLS): Promise<Set<number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const headers = { authorization: 'Bearer x', 'x-request-id': 'r'.repeat(60) };
  const statuses = new Set<number>();
  let left = count;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      request(`${httpOf(flags)}/api/v1/auth/me`, { agent, headers, timeout: 10_000 }, (response) => {
        statuses.add(response.statusCode!);
        response.resume().on('end', resolve);
      })
        .on('timeout', () => reject(new Error('no answer within 10 s')))
        .on('error', reject)
        .end();
    });
  const worker = async () => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker)).finally(() => agent.destroy());
  return statuses;
}

async function droppedLines(flags: SettingFlags): Promise<number> {
  const text = await (await fetch(`${managementOf(flags)}/metrics`)).text();
  return Number(/^log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

function residentKilobytes({ pid }: ServiceProcess): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Reads until nobody can write any more. */
async function readToEnd(reader: number): Promise<string> {
  const chunks: Buffer[] = [];
  const buffer = Buffer.alloc(65_536);
  for (;;) {
    try {
      const bytes = readSync(reader, buffer);
      if (bytes === 0) return Buffer.concat(chunks).toString();
      chunks.push(Buffer.from(buffer.subarray(0, bytes)));
    } catch {
      await sleep(5);
    }
  }
}

describe('standard output whose reader stops reading', () => {
  it('a socket: the service responds in constant memory, and logs the count of dropped lines later', async () => {
    const flags = await settings();
    const service = startProgram('gateway', { settings: flags });
    await service.ready();
    // The heap takes its usual size first.
    await refusedCalls(flags);
    expect(await droppedLines(flags)).toBe(0);
    const before = residentKilobytes(service);
    service.stopReading();
    expect(await refusedCalls(flags)).toEqual(new Set([401]));
    const dropped = await droppedLines(flags);
    expect(dropped).toBeGreaterThan(100);
    expect(residentKilobytes(service) - before).toBeLessThan(GROWTH_KB);

    service.readAgain();
    const notice = await service.logged(/^log lines were dropped/);
    expect(notice).toMatchObject({ level: 'warn', droppedLines: dropped });
    expect(await service.stop()).toEqual(ORDERLY);
    expect(service.logs().filter(({ msg }) => /dropped/.test(msg))).toHaveLength(1);
    expect(service.logs().at(-1)).toMatchObject({ msg: 'stopped' });
    expect(
      service
        .output()
        .split('\n')
        .slice(0, -1)
        .every((line) => line.startsWith('{') && line.endsWith('}')),
    ).toBe(true);
  });

  it('a pipe of two processes, in the readable format: both respond and end', async () => {
    const pipe = namedPipe();
    descriptors.push(pipe.reader);
    const rpc = await freePort();
    const flags = await settings({ 'app.rpc.port': rpc, 'app.log.format': 'pretty' });
    const core = startProgram('core', { settings: flags, stdout: pipe.writer });
    const gatewayFlags = {
      ...flags,
      'app.gateway.core': `dns:///127.0.0.1:${rpc}`,
      'app.management.port': await freePort(),
    };
    const gateway = startProgram('gateway', { settings: gatewayFlags, stdout: pipe.writer });
    closeSync(pipe.writer);
    await untilReady(gatewayFlags);
    expect(await refusedCalls(gatewayFlags)).toEqual(new Set([401]));
    expect(await droppedLines(flags)).toBeGreaterThan(100);
    const started = performance.now();
    expect(await Promise.all([gateway.stop(), core.stop()])).toEqual([ORDERLY, ORDERLY]);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('a pipe that is read again while the process ends: its last lines arrive', async () => {
    const pipe = namedPipe();
    descriptors.push(pipe.reader);
    const flags = await settings();
    const service = startProgram('gateway', { settings: flags, stdout: pipe.writer });
    closeSync(pipe.writer);
    await untilReady(flags);
    await refusedCalls(flags);
    const dropped = await droppedLines(flags);
    service.signal('SIGTERM');
    const lines = (await readToEnd(pipe.reader)).trim().split('\n');
    expect(await service.exited).toEqual(ORDERLY);
    const tail = lines.slice(-5).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(tail.at(-1)).toMatchObject({ level: 'warn', droppedLines: expect.any(Number) });
    expect(Number(tail.at(-1)!['droppedLines'])).toBeGreaterThanOrEqual(dropped);
  });
});

describe('a fatal message', () => {
  it('reaches a late reader', async () => {
    const pipe = namedPipe();
    descriptors.push(pipe.reader);
    const filler = openSync(pipe.path, O_WRONLY | O_NONBLOCK);
    try {
      for (;;) writeSync(filler, 'x'.repeat(4_095).concat('\n'));
    } catch {
      closeSync(filler);
    }
    const service = startProgram('gateway', {
      settings: await settings({ 'app.bootstrap.file': '/nowhere/accounts.yaml' }),
      stdout: pipe.writer,
    });
    closeSync(pipe.writer);
    await sleep(100);
    const output = await readToEnd(pipe.reader);
    expect(await service.exited).toEqual({ code: 78, signal: null });
    expect(output).toContain('the start failed');
  });
});

describe('standard output after its reader closed it', () => {
  it('does not affect responses and the orderly end', async () => {
    const pipe = namedPipe();
    const flags = await settings();
    const service = startProgram('gateway', { settings: flags, stdout: pipe.writer });
    closeSync(pipe.writer);
    await untilReady(flags);
    closeSync(pipe.reader);
    expect(await refusedCalls(flags, 100)).toEqual(new Set([401]));
    expect(await droppedLines(flags)).toBeGreaterThanOrEqual(100);
    expect(await service.stop()).toEqual(ORDERLY);
  });
});
