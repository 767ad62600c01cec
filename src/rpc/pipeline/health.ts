import { setTimeout as sleep } from 'node:timers/promises';
import {
  HealthCheckResponse_ServingStatus as Serving,
  HealthService,
} from '../../../proto/gen/grpc/health/v1/health.ts';
import { ServiceError } from '../../errors.ts';
import { implement } from '../service.ts';
import type { Service } from '../service.ts';

export interface HealthOptions {
  /** Whether the server can serve; must settle, and counts as no where it rejects. */
  readonly check: () => Promise<boolean>;
  /** How long one answer holds, and how often Watch looks again, in milliseconds. */
  readonly intervalMs: number;
  /** Those that have a health of their own, by their full names. */
  readonly services: readonly Service[];
  /** Aborts when the server begins to stop: from then on nothing is healthy, and watchers are told so and let go. */
  readonly stopping?: AbortSignal | undefined;
}

/** The name of the server as a whole. */
const WHOLE = '';

/**
 * The standard health service, grpc.health.v1, for the server as a whole (empty name) and for each of its services, itself
 * included. They share the database, and so their health.
 */
export function healthService({ check, intervalMs, services, stopping }: HealthOptions): Service {
  const served = services.flatMap(({ methods }) => methods.map(({ definition }) => definition));
  const names = new Set([WHOLE, ...[...served, HealthService.check].map(serviceOf)]);
  let known: { readonly until: number; readonly status: Promise<Serving> } | undefined;

  /** Anybody may ask, so many questions make one check. */
  const current = (): Promise<Serving> => {
    if (stopping?.aborted === true) return Promise.resolve(Serving.NOT_SERVING);
    if (known === undefined || Date.now() >= known.until) {
      known = { until: Date.now() + intervalMs, status: look(check) };
    }
    return known.status;
  };

  return implement(HealthService, {
    async check({ service }) {
      if (!names.has(service))
        throw new ServiceError('NOT_FOUND', { detail: 'No service of this server has this name' });
      return { status: await current() };
    },
    async *watch({ service }, { deadline }) {
      const wake = stopping === undefined ? deadline.signal : AbortSignal.any([deadline.signal, stopping]);
      let last: Serving | undefined;
      // It ends well before its deadline does: watchers ask again, and nothing has failed.
      while (Date.now() + 2 * intervalMs < deadline.at || last === undefined) {
        const ending = stopping?.aborted === true;
        const status = names.has(service) ? await current() : Serving.SERVICE_UNKNOWN;
        if (status !== last) yield { status };
        last = status;
        if (ending) return;
        await sleep(intervalMs, undefined, { signal: wake }).catch(() => deadline.signal.throwIfAborted());
      }
    },
    async list() {
      const status = await current();
      return { statuses: Object.fromEntries([...names].map((name) => [name, { status }])) };
    },
  });
}

/** `/authservice.identity.v1.IdentityService/GetMe` is a method of `authservice.identity.v1.IdentityService`. */
function serviceOf({ path }: { readonly path: string }): string {
  return path.split('/')[1]!;
}

async function look(check: () => Promise<boolean>): Promise<Serving> {
  return (await check().catch(() => false)) ? Serving.SERVING : Serving.NOT_SERVING;
}
