// The services of a history: processes on one database, each with a way of its own to it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MysqlProxy } from '../mysql-proxy.ts';
import { SHOP_SETTINGS, startProgram, type Addresses, type ServiceProcess } from '../service-process.ts';

export interface HistoryService {
  readonly addresses: Addresses;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, at other addresses. */
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** Its ways to the nodes of the database; none on SQLite. */
  readonly proxies: readonly MysqlProxy[];
}

export async function startHistoryService(
  databaseUrl: string,
  proxies: readonly MysqlProxy[] = [],
): Promise<HistoryService> {
  const settings = {
    ...SHOP_SETTINGS,
    'app.database.url': databaseUrl,
    // The receiver is on this machine.
    'app.webhooks.allowed-networks': '127.0.0.1',
    'app.security.m2m.rate-limit.points': '1000000',
  };
  const begin = () => startProgram('gateway', { settings });
  let process: ServiceProcess = begin();
  let addresses = await process.ready();
  return {
    get addresses() {
      return addresses;
    },
    async kill() {
      await process.kill();
    },
    async start() {
      process = begin();
      addresses = await process.ready();
    },
    freeze: () => process.signalGroup('SIGSTOP'),
    thaw: () => process.signalGroup('SIGCONT'),
    proxies,
  };
}

/** Something that goes wrong, and its end. */
export type AuditFault = (service: HistoryService) => Promise<void>;

/** Longer than the lease of the job that seals: another process takes over. */
const FROZEN_MS = 5_000;
const DOWN_MS = 1_000;

/** Faults that each database can have. */
export const SERVICE_FAULTS: Readonly<Record<string, AuditFault>> = {
  async 'a service is killed'(service) {
    await service.kill();
    await sleep(DOWN_MS);
    await service.start();
  },
  async 'a service is frozen'(service) {
    service.freeze();
    await sleep(FROZEN_MS);
    service.thaw();
  },
};

/** Faults of services with proxies. */
export const DATABASE_FAULTS: Readonly<Record<string, AuditFault>> = {
  async 'the database is frozen for a service'({ proxies }) {
    for (const proxy of proxies) proxy.freeze();
    await sleep(FROZEN_MS);
    for (const proxy of proxies) proxy.restore();
  },
  async 'the service loses the response to the commit of a batch'({ proxies }) {
    const lost = Promise.all(proxies.map((proxy) => proxy.loseResponse(/INSERT INTO audit_seals|UPDATE JSON_TABLE/)));
    await Promise.race([lost, sleep(FROZEN_MS)]);
  },
};
