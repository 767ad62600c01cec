import { setTimeout as sleep } from 'node:timers/promises';
import { HealthCheckResponse_ServingStatus as Serving, HealthService } from '../../proto/gen/grpc/health/v1/health.ts';
import { ServiceError } from '../errors.ts';
import { implement } from './service.ts';
import type { Service } from './service.ts';

/** The only name there is: the server as a whole. */
const WHOLE = '';

/**
 * The standard health service, grpc.health.v1, for the server as a whole (empty name).
 * @param check whether the server can serve; must settle, and counts as no where it rejects
 * @param intervalMs how long one answer holds, and how often Watch looks again
 */
export function healthService(check: () => Promise<boolean>, intervalMs: number): Service {
  let known: { readonly until: number; readonly status: Promise<Serving> } | undefined;

  /** Anybody may ask, so many questions make one check. */
  const current = (): Promise<Serving> => {
    if (known === undefined || Date.now() >= known.until) {
      known = { until: Date.now() + intervalMs, status: look(check) };
    }
    return known.status;
  };

  return implement(HealthService, {
    async check({ service }) {
      if (service !== WHOLE) throw new ServiceError('NOT_FOUND', { detail: 'Only the empty service name is known' });
      return { status: await current() };
    },
    async *watch({ service }, { deadline }) {
      let last: Serving | undefined;
      // It ends well before its deadline does: watchers ask again, and nothing has failed.
      while (Date.now() + 2 * intervalMs < deadline.at || last === undefined) {
        const status = service === WHOLE ? await current() : Serving.SERVICE_UNKNOWN;
        if (status !== last) yield { status };
        last = status;
        await sleep(intervalMs, undefined, { signal: deadline.signal });
      }
    },
    async list() {
      return { statuses: { [WHOLE]: { status: await current() } } };
    },
  });
}

async function look(check: () => Promise<boolean>): Promise<Serving> {
  return (await check().catch(() => false)) ? Serving.SERVING : Serving.NOT_SERVING;
}
