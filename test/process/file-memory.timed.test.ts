// The memory of uploads and downloads: real processes, over both transports. Buffered bodies would grow the memory by all their
// bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { request, type OutgoingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { bearer, restClient } from '../support/rest-client.ts';
import { seedSession } from '../support/sessions.ts';
import {
  emptyFolder,
  endProcesses,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
} from '../support/service-process.ts';

const MB = 1024 * 1024;
const LARGE = 10 * MB;
/** Each of the hundred. */
const SMALL = 2 * MB;
const AT_ONCE = 100;
const CHUNK = Buffer.alloc(65_536, 7);

/** In megabytes: now, or the most since forgetPeak. */
function memoryOf({ pid }: ServiceProcess, what: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) / 1024;
}

const forgetPeak = ({ pid }: ServiceProcess) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

describe.each(['local', 'grpc'] as const)('over %s', (transport) => {
  let test: TestDatabase;
  let processes: ServiceProcess[];
  let url: string;
  let headers: Record<string, string>;

  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    const session = await seedSession(
      { ...test, clock: { now: Date.now, advance: () => {} } },
      await seedAccount(test.database),
    );
    headers = bearer(session.accessToken);
    const settings = {
      ...SHOP_SETTINGS,
      'app.database.url': test.url,
      'app.files.store': `disk:${emptyFolder()}`,
      'app.files.open-uploads.per-account': String(AT_ONCE),
      'app.files.open-uploads.per-tenant': String(AT_ONCE),
      'app.files.open-downloads.per-account': String(AT_ONCE),
    };
    const core = startProgram(transport === 'local' ? 'gateway' : 'core', { settings });
    const { http, rpc } = await core.ready();
    if (transport === 'local') {
      processes = [core];
      url = http;
    } else {
      const gateway = startProgram('gateway', { settings: { ...settings, 'app.gateway.core': `ipv4:${rpc}` } });
      processes = [core, gateway];
      url = (await gateway.ready()).http;
    }
  });
  afterEach(async () => {
    await endProcesses();
    await test?.drop();
  });

  const prepare = async (size: number): Promise<string> => {
    const announced = { fileName: 'a', contentType: 'a/b', size };
    return (await restClient(url).postJson('/api/v1/staging/files/prepare', announced, headers)).body.uploadUrl;
  };

  async function put(path: string, size: number): Promise<number> {
    const lengths: OutgoingHttpHeaders = { ...headers, 'content-length': size };
    const sending = request(url + path, { method: 'PUT', headers: lengths });
    const answered = once(sending, 'response');
    for (let left = size; left > 0; left -= CHUNK.length) {
      if (!sending.write(CHUNK.subarray(0, left))) await once(sending, 'drain');
    }
    sending.end();
    const [response] = await answered;
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  }

  async function get(path: string): Promise<number> {
    const asking = request(url + path, { headers });
    asking.end();
    const [response] = await once(asking, 'response');
    let size = 0;
    for await (const chunk of response) size += chunk.length;
    return size;
  }

  /** By how much each process grew at most while that happened, in megabytes. */
  async function growth(work: () => Promise<unknown>): Promise<number[]> {
    processes.forEach(forgetPeak);
    const before = processes.map((one) => memoryOf(one, 'VmRSS'));
    await work();
    return processes.map((one, index) => memoryOf(one, 'VmHWM') - before[index]!);
  }

  it(`${AT_ONCE} files at once need less memory than their bytes, and a large file no more than small ones`, async () => {
    const paths = await Promise.all(Array.from({ length: AT_ONCE }, () => prepare(SMALL)));
    const crowd = await growth(async () => {
      const responses = await Promise.all(paths.map((path) => put(path, SMALL)));
      expect(responses).toEqual(paths.map(() => 200));
      const sizes = await Promise.all(paths.map(get));
      expect(sizes).toEqual(paths.map(() => SMALL));
    });
    // A process grows by some 100 MB with its first calls, whatever they carry: one that held the bytes would exceed this by far.
    expect(Math.max(...crowd)).toBeLessThan((AT_ONCE * SMALL) / MB);

    // A process grows to its working size with its first calls; none of these makes room for a large body.
    for (let round = 0; round < 20; round += 1) {
      const path = await prepare(MB);
      await put(path, MB);
      await get(path);
    }
    const path = await prepare(LARGE);
    const up = await growth(async () => expect(await put(path, LARGE)).toBe(200));
    const down = await growth(async () => expect(await get(path)).toBe(LARGE));
    expect(Math.max(...up, ...down)).toBeLessThan(8);
  });
});
