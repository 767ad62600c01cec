import { setTimeout as sleep } from 'node:timers/promises';
import {
  HealthCheckResponse_ServingStatus as Serving,
  HealthService,
} from '../../../../proto/gen/grpc/health/v1/health.ts';
import { ServiceError } from '../../errors.ts';
import { implement, type Service } from '../service.ts';

interface HealthOptions {
  /** Whether the server can serve. Must settle; a rejection counts as no. */
  readonly check: () => Promise<boolean>;
  /** How long a result stays valid, and how often Watch checks again, in milliseconds. */
  readonly intervalMs: number;
  /** The services that report their own health, by full name. */
  readonly services: readonly Service<never>[];
  /**
   * Aborts when the server begins to stop. From then on only this service itself is healthy, because calls are still served, and
   * watchers get a last message and end.
   */
  readonly stopping?: AbortSignal | undefined;
}

/** The name of the server as a whole. */
const WHOLE = '';
/** A gateway with several cores asks by this name: a stopping one of them must not make the gateway unready. */
const ITSELF = serviceOf(HealthService.check);

/**
 * The standard health service, grpc.health.v1, for the whole server (empty name) and for each service including itself.
 * All depend on the same database, so they share one status.
 */
export function healthService({ check, intervalMs, services, stopping }: HealthOptions): Service {
  const served = services.flatMap(({ methods }) => methods.map(({ definition }) => definition));
  const names = new Set([WHOLE, ...[...served, HealthService.check].map(serviceOf)]);
  let known: { readonly until: number; readonly status: Promise<Serving> } | undefined;

  /** Health needs no credential, so concurrent requests share one check. */
  const current = (service: string): Promise<Serving> => {
    if (stopping?.aborted === true && service !== ITSELF) return Promise.resolve(Serving.NOT_SERVING);
    if (known === undefined || Date.now() >= known.until) {
      known = { until: Date.now() + intervalMs, status: look(check) };
    }
    return known.status;
  };

  return implement(HealthService, {
    async check({ service }) {
      if (!names.has(service))
        throw new ServiceError('NOT_FOUND', { detail: 'This server has no service with this name' });
      return { status: await current(service) };
    },
    async *watch({ service }, { deadline }) {
      const wake = stopping === undefined ? deadline.signal : AbortSignal.any([deadline.signal, stopping]);
      let last: Serving | undefined;
      // The stream ends before its deadline, so that watchers reconnect without seeing an error.
      while (Date.now() + 2 * intervalMs < deadline.at || last === undefined) {
        const ending = stopping?.aborted === true;
        const status = names.has(service) ? await current(service) : Serving.SERVICE_UNKNOWN;
        if (status !== last) yield { status };
        last = status;
        if (ending) return;
        await sleep(intervalMs, undefined, { signal: wake }).catch(() => deadline.signal.throwIfAborted());
      }
    },
    async list() {
      const entries = [...names].map(async (name) => [name, { status: await current(name) }] as const);
      return { statuses: Object.fromEntries(await Promise.all(entries)) };
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
