// Why the gateway gets no response from the core, for the log and the readiness.
import { HealthCheckResponse_ServingStatus as ServingStatus } from '../../proto/gen/grpc/health/v1/health.ts';
import type { Clients } from '../clients.ts';

const LIMIT_MS = 2_000;
const MAX_CHARACTERS = 200;

/** The causes of failed connections, as grpc-js and OpenSSL word them. The first that matches applies. */
const CAUSES: readonly (readonly [cause: RegExp, problem: string])[] = [
  [/name resolution failed|no addresses resolved/i, 'its name is not found; check app.gateway.core'],
  [/ECONNREFUSED|ENOENT/, 'nothing listens there; start the core, or check app.gateway.core'],
  [/EACCES/, 'the gateway may not open its socket; let its user write to it'],
  [/EHOSTUNREACH|ENETUNREACH/, 'the network has no way to it; check app.gateway.core and the network'],
  [/protocol error|http status code|^unimplemented/i, 'another program answers there; check app.gateway.core'],
  [/wrong version number|packet length/, 'it does not use TLS; set its app.rpc.tls.cert, or remove app.gateway.tls.*'],
  [
    /alert/,
    'TLS failed: it refuses the certificate of the gateway; check app.gateway.tls.cert and its app.rpc.tls.client-ca',
  ],
  [
    /certificate|altname|issuer/i,
    'TLS failed: its certificate is not accepted; check app.gateway.tls.ca, and the name in app.gateway.core',
  ],
  [
    /failed to connect/i,
    'it closes the connection: only one side uses TLS, or it refuses the certificate of the gateway; check app.gateway.tls.* and ' +
      'its app.rpc.tls.*',
  ],
  [/deadline/i, 'it does not respond in time; check app.gateway.core and the network'],
];

/** Asks whether calls are served. For the whole server, a core that stops but still serves would answer no. */
export const CALLS_SERVED = { service: 'grpc.health.v1.Health' };

/** Returns why the core cannot be used now; undefined if it can. */
export async function findCoreProblem({ health }: Pick<Clients, 'health'>): Promise<string | undefined> {
  try {
    const { status } = await health.check(CALLS_SERVED, { timeoutMs: LIMIT_MS });
    return status === ServingStatus.SERVING ? undefined : 'it is not ready; its log and its readiness say why';
  } catch (error) {
    return describeCoreError(error);
  }
}

/** Describes the error of a call that the core has not answered, and the remedy. */
export function describeCoreError(error: unknown): string {
  const { message, cause } = error as Error;
  const text = cause instanceof Error ? cause.message : message;
  const problem = CAUSES.find(([pattern]) => pattern.test(text))?.[1] ?? 'the call failed';
  return `${problem} (${shorten(text)})`;
}

/** Leaves out the wrapping of grpc-js, and what differs between attempts: times, local ports, and OpenSSL's thread and source. */
function shorten(text: string): string {
  return text
    .replace(/^.*Last error: (?:Error(?: \[\w+\])?: )?/s, '')
    .replace(/\. Resolution note:.*$/s, '')
    .replace(/: Deadline exceeded after.*$/s, '')
    .replace(/^[0-9A-F]+:error:\w+:([^:]*:){2}([^:]+):.*$/s, '$2')
    .replace(/ - Local \(.*?\)/, '')
    .replaceAll(/\s*\(\d{4}-\d\d-\d\dT[^)]*\)/g, '')
    .trim()
    .slice(0, MAX_CHARACTERS);
}
