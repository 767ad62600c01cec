// The examples with a busy core, an unavailable one, and the stop of one of several.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { emptyFolder, endProcesses } from '../support/service-process.ts';
import { startCore, startSeveral, type Core } from './cores.ts';
import { startDnsServer } from './dns-server.ts';
import { buildOnce, LANGUAGES, type Language } from './examples.ts';
import { startBreakingCore, startBusyCore, startIssuingCore } from './busy-core.ts';
import { runMachineClient } from './machine-client.ts';
import { openWorkspace } from './workspace.ts';

const HOSTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;
const CLIENT = { CORE_CLIENT_ID: 'any', CORE_CLIENT_SECRET: 'any' };

let workspace: string;
beforeAll(async () => {
  workspace = openWorkspace();
  for (const language of LANGUAGES) await buildOnce(language, workspace);
});
afterAll(endProcesses);

const hasServedCalls = ({ process }: Core) =>
  process.logs().some(({ rpc }) => rpc === '/authservice.identity.v1.IdentityService/GetMe');

/** How a language names several cores. */
const TARGETS: Readonly<Record<Language, (port: string, dnsPort: number) => Record<string, string>>> = {
  go: (port, dnsPort) => ({ CORE_ADDRESS: `dns://127.0.0.1:${dnsPort}/cores.test:${port}` }),
  java(port) {
    const hosts = join(emptyFolder(), 'hosts');
    writeFileSync(hosts, HOSTS.map((host) => `${host} cores.test\n`).join(''));
    return { CORE_ADDRESS: `dns:///cores.test:${port}`, JAVA_TOOL_OPTIONS: `-Djdk.net.hosts.file=${hosts}` };
  },
  python: (port) => ({ CORE_ADDRESS: `ipv4:${HOSTS.map((host) => `${host}:${port}`).join(',')}` }),
  typescript: (port) => ({ CORE_ADDRESS: `ipv4:${HOSTS.map((host) => `${host}:${port}`).join(',')}` }),
};

// The languages wait at the same time.
describe('waits as long as the core asks for after too many requests', () => {
  it.concurrent.for(LANGUAGES)('%s', async (language, { expect }) => {
    const { env } = await startCore({
      'app.security.m2m.rate-limit.store': 'memory',
      'app.security.m2m.rate-limit.points': '1',
      'app.security.m2m.rate-limit.window': '2s',
    });
    expect(await runMachineClient(language, workspace, env, 0)).toBe(
      'token after attempts: 1\ncalls: 1\nfailures: 0\nnext token after attempts: 2\n',
    );
  });
});

describe('repeats a call after the wait of the pushback, not after the 0.1 s of its policy', () => {
  it.concurrent.for(LANGUAGES)('%s', async (language, { expect }) => {
    const core = await startBusyCore(['700', '400']);
    const output = await runMachineClient(language, workspace, { CORE_ADDRESS: core.address, ...CLIENT }, 0);
    core.close();
    expect(output).toContain('calls: 1\nfailures: 0\n');
    const [first, second, third] = core.arrivals as [number, number, number];
    expect(core.arrivals).toHaveLength(3);
    expect(second - first).toBeGreaterThan(690);
    expect(third - second).toBeGreaterThan(390);
  });
});

describe('does not repeat a call where the pushback forbids it', () => {
  it.concurrent.for(LANGUAGES)('%s', async (language, { expect }) => {
    const core = await startBusyCore(['-1']);
    const output = await runMachineClient(language, workspace, { CORE_ADDRESS: core.address, ...CLIENT }, 0);
    core.close();
    expect(output).toContain('calls: 1\nfailures: 1\n');
    expect(core.arrivals).toHaveLength(1);
  });
});

describe('repeats a read once whose response had begun when the connection ended', () => {
  it.concurrent.for(LANGUAGES)('%s', async (language, { expect }) => {
    const core = await startBreakingCore(1);
    const output = await runMachineClient(language, workspace, { CORE_ADDRESS: core.address, ...CLIENT }, 0);
    core.close();
    expect(output).toContain('calls: 1\nfailures: 0\n');
    expect(core.arrivals).toHaveLength(2);
  });

  it('and fails after the second time', async ({ expect }) => {
    const core = await startBreakingCore(2);
    const env = { CORE_ADDRESS: core.address, ...CLIENT };
    expect(await runMachineClient('typescript', workspace, env, 0)).toContain('calls: 1\nfailures: 1\n');
    core.close();
    expect(core.arrivals).toHaveLength(2);
  });
});

describe('renews a token before it expires, once for all callers, and again after a failed renewal', () => {
  it.concurrent.for(LANGUAGES)('%s', async (language, { expect }) => {
    // Renewed after 6 s of 8: the first renewal fails, the second one succeeds. The program forces the last one.
    const core = await startIssuingCore(8, [2]);
    const env = { CORE_ADDRESS: core.address, ...CLIENT, CORE_CALLERS: '16' };
    const output = await runMachineClient(language, workspace, env, 9);
    core.close();
    expect(output).toContain('\nfailures: 0\n');
    expect([core.requests(), core.parallel(), core.late(), core.newest()]).toEqual([4, 1, 0, 3]);
  });
});

describe('gets the first token once for all callers', () => {
  it.concurrent.for(LANGUAGES)('%s', async (language, { expect }) => {
    const core = await startIssuingCore(300, []);
    const env = { CORE_ADDRESS: core.address, ...CLIENT, CORE_CALLERS: '16' };
    expect(await runMachineClient(language, workspace, env, 0)).toMatch(/\ncalls: 16\nfailures: 0\n/);
    core.close();
    expect(core.requests()).toBe(2);
  });
});

describe('continues without an error while cores end, by SIGTERM and by SIGKILL', () => {
  it.for(LANGUAGES)('%s', async (language, { expect }) => {
    const dns = await startDnsServer(HOSTS);
    const { cores, port } = await startSeveral(HOSTS);
    const env = { ...cores[0]!.env, ...TARGETS[language](port, dns.port) };
    let isCalling = true;
    const calling = runMachineClient(language, workspace, env, 5).finally(() => (isCalling = false));
    // Each has its turn.
    for (const core of cores) await expect.poll(() => hasServedCalls(core), { timeout: 20_000 }).toBe(true);
    await cores[0]!.process.stop();
    await sleep(500);
    await cores[1]!.process.kill();
    expect(isCalling).toBe(true);
    const output = await calling;
    dns.close();
    const calls = Number(/^calls: (\d+)$/m.exec(output)?.[1]);
    // As lines: the message of a failed comparison shows all of them.
    expect(output.split('\n')).toEqual([
      'token after attempts: 1',
      `calls: ${calls}`,
      'failures: 0',
      'next token after attempts: 1',
      '',
    ]);
    expect(calls).toBeGreaterThan(100);
  });
});
