// Endpoints outside /api/v1: health, metadata, key set, documentation.
import { Type } from '../type.ts';
import { HealthCheckResponse_ServingStatus as ServingStatus } from '../../proto/gen/grpc/health/v1/health.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { CALLS_SERVED, describeCoreError } from './core-problem.ts';
import type { Endpoint } from '../endpoint.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { neverStored } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';

const Up = Type.Object({ status: Type.Literal('UP') }, { title: 'HealthStatus', description: 'Healthy.' });

/** Endpoint: returns 200 while the process responds. It does not check dependencies. */
export const live: Endpoint = (app, _clients, route) =>
  app.route({
    ...route,
    schema: {
      operationId: 'getLiveness',
      summary: 'Get liveness',
      description: 'Returns 200 while the process responds. Dependencies are not checked.',
      tags: ['Health'],
      response: { 200: Up },
    },
    onRequest: neverStored,
    handler: async () => ({ status: 'UP' }) as const,
  });

/**
 * Endpoint: returns 200 if the core and its database are available, else 503.
 *
 * @param stopping Aborts when the process begins to stop. From then on it is not ready.
 */
export function ready(stopping: AbortSignal | undefined): Endpoint {
  return (app, { health }, route) =>
    app.route({
      ...route,
      schema: {
        operationId: 'getReadiness',
        summary: 'Get readiness',
        description: 'Returns 200 while the service and its database are available.',
        tags: ['Health'],
        response: { 200: Up },
      },
      onRequest: neverStored,
      handler: async (request) => {
        const { status } = await health.check(CALLS_SERVED, callOptions(request)).catch((error: unknown) => {
          throw error instanceof RpcError ? new GatewayError('SERVICE_UNAVAILABLE', describeCoreError(error)) : error;
        });
        if (status !== ServingStatus.SERVING) throw new GatewayError('SERVICE_UNAVAILABLE', 'The core is not serving');
        if (stopping?.aborted) throw new GatewayError('SERVICE_UNAVAILABLE', 'The process is stopping');
        return { status: 'UP' as const };
      },
    });
}
