// Turns any error that a request failed with into the failure that its answer shows.
import type { FastifyError } from 'fastify';
import { diagnose } from '../../src/rpc/errors/diagnostics.ts';
import { RpcError } from '../../src/rpc/errors/rpc-error.ts';
import type { Diagnostics } from '../../src/rpc/errors/rpc-error.ts';
import { cutText } from '../../src/rpc/errors/stack-trace.ts';
import type { FailureName } from '../../src/problem/catalogue.ts';
import { GatewayError } from './gateway-error.ts';
import { failure } from '../../src/problem/problem.ts';
import type { DisclosureMode, Failure } from '../../src/problem/problem.ts';

/** How much of a failure is shown. */
export interface Disclosure {
  readonly mode: DisclosureMode;
  /** Bound of a stack trace, in code points. */
  readonly maxStackTraceChars: number;
}

/** What Fastify's own errors mean; other errors of the client's count as malformed requests. */
const FASTIFY_FAILURES: Readonly<Record<string, Failure>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: failure('PAYLOAD_TOO_LARGE'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: failure(
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must be application/json in UTF-8',
  ),
  FST_ERR_MAX_PARAM_LENGTH: failure('URI_TOO_LONG'),
};

/**
 * The failure that an error stands for; INTERNAL_ERROR for an error that the gateway does not expect.
 *
 * @param checksCredential The route decides on a credential: any outage is an outage of authentication.
 */
export function toFailure(error: unknown, disclosure: Disclosure, checksCredential: boolean): Failure {
  if (error instanceof RpcError) return fromRpc(error, disclosure, checksCredential);
  const shown = fromGateway(error) ?? fromFastify(error) ?? failure('INTERNAL_ERROR');
  return { ...shown, diagnostics: diagnosticsOf(error, disclosure) };
}

/** The failure of a request that could not even be read. */
export function unreadFailure(name: FailureName, error: Error, disclosure: Disclosure): Failure {
  return { ...failure(name), diagnostics: diagnosticsOf(error, disclosure) };
}

/** A core that is too slow counts as one that is out of order. */
function fromRpc(error: RpcError, disclosure: Disclosure, checksCredential: boolean): Failure {
  const { reason, dependency, ...shown } = error.status;
  const authenticates = checksCredential || dependency === 'authentication';
  const outage = authenticates ? 'AUTHENTICATION_SERVICE_UNAVAILABLE' : 'SERVICE_UNAVAILABLE';
  const name = reason === 'SERVICE_UNAVAILABLE' || reason === 'DEADLINE_EXCEEDED' ? outage : reason;
  return { ...shown, name, diagnostics: rpcDiagnostics(error, disclosure) };
}

/** An error of the core carries the diagnostics that the core allows; an error of the call itself has a cause instead. */
function rpcDiagnostics(error: RpcError, disclosure: Disclosure): Diagnostics | undefined {
  const { diagnostics } = error.status;
  if (diagnostics === undefined) return error.cause === undefined ? undefined : diagnosticsOf(error, disclosure);
  return { ...diagnostics, stackTrace: cutText(diagnostics.stackTrace, disclosure.maxStackTraceChars) };
}

function fromGateway(error: unknown): Failure | undefined {
  if (!(error instanceof GatewayError)) return undefined;
  return { ...failure(error.failure, error.message), violations: error.violations };
}

function fromFastify(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>;
  const known = FASTIFY_FAILURES[code];
  if (known !== undefined) return known;
  return statusCode >= 400 && statusCode < 500 ? failure('MALFORMED_REQUEST') : undefined;
}

/** Minimal disclosure shows none, so that none are made. */
function diagnosticsOf(error: unknown, { mode, maxStackTraceChars }: Disclosure): Diagnostics | undefined {
  if (mode === 'minimal') return undefined;
  const shown = error instanceof Error ? error : new GatewayError('INTERNAL_ERROR', 'The thrown value is not an Error');
  return diagnose(shown, { maxStackTraceChars, withFrames: true });
}
