// A service under attack: its process, callers of two tenants, and what other callers wait.
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, type Engine } from '../support/databases.ts';
import { bearer } from '../support/rest-client.ts';
import { seedSession } from '../support/sessions.ts';
import {
  emptyFolder,
  endProcesses,
  SHOP_SETTINGS,
  startProgram,
  type Addresses,
  type SettingFlags,
} from '../support/service-process.ts';

export interface AttackedService {
  readonly addresses: Addresses;
  /** The credentials of the attacker, a manager of `acme`. */
  readonly attacker: Record<string, string>;
  /** The credentials of a manager of another tenant. */
  readonly victim: Record<string, string>;
  /** Resident memory in megabytes. */
  memory(): number;
  openFiles(): number;
  /** Opens a connection and sends bytes on it. Reads the responses, unless told otherwise. */
  send(bytes: string, options?: { readonly isRead?: boolean }): Promise<Socket>;
  /** Sends requests of the victim, one after another, until `attack` settles, and at least 5. Returns their times. */
  measure(path: string, attack: Promise<unknown>): Promise<Times>;
  close(): Promise<void>;
}

/** In milliseconds. */
export interface Times {
  readonly longest: number;
  readonly median: number;
  readonly statuses: ReadonlySet<number>;
}

/** Starts a service with core and gateway in one process. */
export async function attackedService(engine: Engine, settings: SettingFlags = {}): Promise<AttackedService> {
  const test = await createTestDatabase(engine);
  const clock = { now: Date.now, advance: () => {} };
  const credentialsIn = async (tenantId: string) => {
    const account = await seedAccount(test.database, { tenantId });
    return bearer((await seedSession({ ...test, clock }, account)).accessToken);
  };
  const attacker = await credentialsIn('acme');
  const victim = await credentialsIn('other');
  const service = startProgram('gateway', {
    settings: {
      ...SHOP_SETTINGS,
      'app.rpc.enabled': 'true',
      'app.database.url': test.url,
      'app.files.store': `disk:${emptyFolder()}`,
      ...settings,
    },
  });
  const addresses = await service.ready();
  const { hostname, port } = new URL(addresses.http);
  const sockets = new Set<Socket>();
  const timeOf = async (path: string, statuses: Set<number>) => {
    const began = performance.now();
    const response = await fetch(addresses.http + path, { headers: victim });
    await response.arrayBuffer();
    statuses.add(response.status);
    return performance.now() - began;
  };

  return {
    addresses,
    attacker,
    victim,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1024,
    openFiles: () => readdirSync(`/proc/${service.pid}/fd`).length,
    send(bytes, { isRead = true } = {}) {
      return new Promise((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => {
          socket.off('error', reject).on('error', () => {});
          socket.write(bytes, 'latin1');
          if (isRead) socket.resume();
          resolve(socket);
        });
        socket.once('error', reject);
        sockets.add(socket);
      });
    },
    async measure(path, attack) {
      let isOver = false;
      void attack.finally(() => (isOver = true));
      const times: number[] = [];
      const statuses = new Set<number>();
      while (!isOver || times.length < 5) times.push(await timeOf(path, statuses));
      times.sort((a, b) => a - b);
      return { longest: times.at(-1)!, median: times[times.length >> 1]!, statuses };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await endProcesses();
      await test.drop();
    },
  };
}

/** Bytes of a pipelined request. */
export function requestOf(path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`;
}

/** Resolves when a connection has received nothing for half a second, or is closed. */
export async function quiet(sockets: readonly Socket[]): Promise<void> {
  for (let last = -1, now = 0; now !== last;) {
    last = now;
    await sleep(500);
    now = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }
}
