// Converts errors to failures, which the error response shows.
import type { FastifyError } from 'fastify';
import { diagnose } from '../../src/platform/rpc/errors/diagnostics.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { Diagnostics } from '../../src/platform/rpc/errors/rpc-error.ts';
import { cutText } from '../../src/platform/rpc/errors/stack-trace.ts';
import type { FailureName } from '../../src/platform/problem/catalogue.ts';
import { GatewayError } from './gateway-error.ts';
import { failure } from '../../src/platform/problem/problem.ts';
import type { Failure } from '../../src/platform/problem/problem.ts';
import type { DisclosureMode } from '../../src/platform/errors.ts';

/** How much of a failure the response shows. */
export interface Disclosure {
  readonly mode: DisclosureMode;
  /** Longest stack trace, in code points. */
  readonly maxStackTraceChars: number;
}

/** Failures for errors of Fastify. Its other errors with a 4xx status count as malformed requests. */
const FASTIFY_FAILURES: Readonly<Record<string, Failure>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: failure('PAYLOAD_TOO_LARGE'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: failure(
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must be application/json in UTF-8',
  ),
  FST_ERR_MAX_PARAM_LENGTH: failure('URI_TOO_LONG'),
};

/**
 * Converts an error to a failure. Unexpected errors become INTERNAL_ERROR.
 *
 * @param checksCredential Whether the route checks a credential. If so, every outage is an outage of authentication.
 */
export function toFailure(error: unknown, disclosure: Disclosure, checksCredential: boolean): Failure {
  if (error instanceof RpcError) return fromRpc(error, disclosure, checksCredential);
  const shown = fromGateway(error) ?? fromFastify(error) ?? failure('INTERNAL_ERROR');
  return { ...shown, diagnostics: diagnosticsOf(error, disclosure) };
}

/** Returns the failure of input that could not be parsed as a request. */
export function unreadFailure(name: FailureName, error: Error, disclosure: Disclosure): Failure {
  return { ...failure(name), diagnostics: diagnosticsOf(error, disclosure) };
}

/** A deadline that passed counts as an outage of the core. */
function fromRpc(error: RpcError, disclosure: Disclosure, checksCredential: boolean): Failure {
  const { reason, dependency, ...shown } = error.status;
  const authenticates = checksCredential || dependency === 'authentication';
  const outage = authenticates ? 'AUTHENTICATION_SERVICE_UNAVAILABLE' : 'SERVICE_UNAVAILABLE';
  const name = reason === 'SERVICE_UNAVAILABLE' || reason === 'DEADLINE_EXCEEDED' ? outage : reason;
  return { ...shown, name, diagnostics: rpcDiagnostics(error, disclosure) };
}

/** Errors of the core contain the diagnostics that the core discloses. Errors of the transport have a cause instead. */
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

/** Returns undefined under minimal disclosure, which does not show them: a stack trace takes longer than the rest of the response. */
function diagnosticsOf(error: unknown, { mode, maxStackTraceChars }: Disclosure): Diagnostics | undefined {
  if (mode === 'minimal') return undefined;
  const shown = error instanceof Error ? error : new GatewayError('INTERNAL_ERROR', 'The thrown value is not an Error');
  return diagnose(shown, { maxStackTraceChars, withFrames: true });
}
