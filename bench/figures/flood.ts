import type { Figure } from '../compare.ts';
import { hashOf, loginRequests, PASSWORD } from '../rows/login.ts';
import { wrkSide, type Stand } from '../stand.ts';
import { besideAlone, measureLatency, WARM_UP_SECONDS } from './latency.ts';

const ME = '/api/v1/auth/me';
/** Share of the greatest rate of bearer checks. */
const LOAD_SHARE = 0.3;
/** Callers that log in again and again. */
const FLOOD = 20;
const SECONDS = 6;

/** Measures the p99 of bearer checks during a flood of logins, beside that without. */
export function floodFigures({ engine, service, database, sessions, connections }: Stand): readonly Figure[] {
  return [
    {
      title: `p99 of GET /auth/me beside ${FLOOD} callers that log in, ${engine}`,
      unit: 'x',
      aim: 2,
      async measure() {
        const lines = sessions.map(({ accessToken }) => accessToken);
        const { requests, seconds } = await wrkSide('service', service, {
          path: ME,
          format: 'bearer',
          lines,
          connections,
        }).load(2);
        const values = lines.map((token) => `Bearer ${token}`);
        const perSecond = (LOAD_SHARE * requests) / seconds;
        const load = { path: ME, header: 'Authorization', values, perSecond, seconds: SECONDS } as const;
        const alone = await measureLatency(service, load);
        const logins = await loginRequests(database, await hashOf(PASSWORD), FLOOD);
        // Logins that would wait too long are refused.
        const flood = wrkSide('service', service, { ...logins, mayFail: true });
        const [during] = await Promise.all([measureLatency(service, load), flood.load(WARM_UP_SECONDS + SECONDS + 2)]);
        return {
          value: during.p99 / alone.p99,
          detail: `${perSecond.toFixed(0)} /s; ${besideAlone(during, alone)}`,
        };
      },
    },
  ];
}
