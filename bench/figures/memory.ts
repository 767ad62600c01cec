import { readFileSync } from 'node:fs';
import type { Figure } from '../compare.ts';
import { seedClients } from '../seed.ts';
import { wrkSide, type Stand } from '../stand.ts';

/** Seconds of load with each endpoint, together a minute. */
const SECONDS = 20;

/** Measures the memory of the service after a minute of load, scaled like the tables. */
export function memoryFigures(stand: Stand): readonly Figure[] {
  const { engine, service, connections, sessions, database, scale } = stand;
  return [
    {
      title: `Resident memory after load, ${engine}`,
      unit: 'MB',
      aim: engine === 'mariadb' ? 210 : 190,
      async measure() {
        const tokens = sessions.map(({ accessToken }) => accessToken);
        const [client] = await seedClients(database, 1);
        const form = `grant_type=client_credentials&client_id=${client!.id}&client_secret=${client!.secret}`;
        const seconds = Math.max(2, Math.round(SECONDS * scale));
        const loads = [
          { path: '/api/v1/auth/me', format: 'bearer', lines: tokens },
          { path: '/api/v1/products?perPage=20', format: 'bearer', lines: tokens },
          { path: '/api/v1/auth/token', format: 'form', lines: [form] },
        ] as const;
        for (const load of loads) await wrkSide('service', service, { ...load, connections }).load(seconds);
        const detail = `${seconds} s each of GET /auth/me, GET /products, POST /auth/token; after all comparisons`;
        return { value: residentMegabytes(service.pid), detail };
      },
    },
  ];
}

/** Returns the resident memory of a process, in MB. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) / 1024;
}
