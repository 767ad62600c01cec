// Encodes ErrorStatus as google.rpc.Status, the bytes of the trailer grpc-status-details-bin.
import { status } from '@grpc/grpc-js';
import { BadRequest, DebugInfo, ErrorInfo, RetryInfo } from '../../../../proto/gen/google/rpc/error_details.ts';
import { Status } from '../../../../proto/gen/google/rpc/status.ts';
import type { ReasonName, StepUp, Violation } from '../../errors.ts';
import { REASONS } from '../../problem/catalogue.ts';
import { decodeLoginChallenge, encodeLoginChallenge, isFactorMethod, LOGIN_CHALLENGE } from './login-challenge.ts';
import type { Diagnostics, ErrorStatus } from './rpc-error.ts';
import { cutText } from './stack-trace.ts';
import { capViolations } from './violations.ts';

/**
 * Returns the path in the request for a violation's `props`; empty if they name no field of the message, but a header,
 * for example.
 */
export type ToFieldPath = (props: readonly string[]) => string;

const DOMAIN = 'authservice';
const TYPE_PREFIX = 'type.googleapis.com/';
/** Larger trailers make HTTP/2 peers reset the whole connection. */
const MAX_BYTES = 6 * 1024;

/** Encodes an error in at most 6 kB. Parts that do not fit are left out: diagnostics first, then violations. */
export function encodeStatus(error: ErrorStatus, toFieldPath: ToFieldPath = () => ''): Buffer {
  for (const candidate of reductions(error)) {
    const bytes = encodeWhole(candidate, toFieldPath);
    if (bytes.length <= MAX_BYTES) return bytes;
  }
  const bare = { ...error, message: REASONS[error.reason].detail, violations: [], diagnostics: undefined };
  return encodeWhole(bare, toFieldPath);
}

/** Decodes an error; undefined if the bytes were not encoded by this project. */
export function decodeStatus(bytes: Uint8Array): ErrorStatus | undefined {
  try {
    return decodeWhole(bytes);
  } catch {
    return undefined;
  }
}

function* reductions(error: ErrorStatus): Generator<ErrorStatus> {
  yield error;
  const { diagnostics, violations } = error;
  for (let limit = 4096; diagnostics !== undefined && limit >= 256; limit /= 2) {
    const stackTrace = cutText(diagnostics.stackTrace, limit);
    yield {
      ...error,
      diagnostics: { ...diagnostics, exceptionMessage: cutText(diagnostics.exceptionMessage, 512), stackTrace },
    };
  }
  for (let keep = violations.length; keep >= 1; keep = Math.floor(keep / 2)) {
    yield { ...error, diagnostics: undefined, violations: capViolations(violations, keep) };
  }
  yield { ...error, diagnostics: undefined, violations: [] };
  yield { ...error, diagnostics: undefined, violations: [], message: cutText(error.message, 1000) };
}

function encodeWhole(error: ErrorStatus, toFieldPath: ToFieldPath): Buffer {
  const { reason, message, violations, retryAfterMs, challenge, diagnostics } = error;
  const details = [
    pack('google.rpc.ErrorInfo', ErrorInfo.encode({ reason, domain: DOMAIN, metadata: metadataOf(error) })),
  ];
  if (violations.length > 0) {
    const fieldViolations = violations.map((violation) => toFieldViolation(violation, toFieldPath));
    details.push(pack('google.rpc.BadRequest', BadRequest.encode({ fieldViolations })));
  }
  if (retryAfterMs !== undefined) {
    const retryDelay = { seconds: Math.floor(retryAfterMs / 1000), nanos: Math.floor(retryAfterMs % 1000) * 1_000_000 };
    details.push(pack('google.rpc.RetryInfo', RetryInfo.encode({ retryDelay })));
  }
  if (challenge !== undefined) details.push(pack(LOGIN_CHALLENGE, encodeLoginChallenge(challenge)));
  if (diagnostics !== undefined) {
    const detail = `${diagnostics.exceptionType}: ${diagnostics.exceptionMessage}`;
    const stackEntries = diagnostics.stackTrace.split('\n');
    details.push(pack('google.rpc.DebugInfo', DebugInfo.encode({ detail, stackEntries })));
  }
  return Buffer.from(Status.encode({ code: grpcCodeOf(reason), message, details }).finish());
}

function pack(type: string, writer: { finish(): Uint8Array }) {
  return { typeUrl: `${TYPE_PREFIX}${type}`, value: Buffer.from(writer.finish()) };
}

/** Carries what BadRequest cannot: whether `props` is a list or a dotted name, `params`, and an absent `format`. */
function metadataOf({ requestId, dependency, stepUp, violations }: ErrorStatus): Record<string, string> {
  return {
    ...(requestId !== undefined && { requestId }),
    ...(dependency !== undefined && { dependency }),
    ...(stepUp?.maxAge !== undefined && { max_age: String(stepUp.maxAge) }),
    ...(stepUp?.amr !== undefined && { amr: stepUp.amr }),
    ...(stepUp?.methods && { methods: stepUp.methods.join(',') }),
    ...(violations.length > 0 && {
      violations: JSON.stringify(violations.map(({ format, props, params }) => ({ format, props, params }))),
    }),
  };
}

function toFieldViolation({ message, format = '', props = [] }: Violation, toFieldPath: ToFieldPath) {
  return { field: toFieldPath(props), description: message, reason: upperSnake(format) };
}

/**
 * Converts `maxLength` and `date-time` to `MAX_LENGTH` and `DATE_TIME`, as error_details.proto requires for reasons.
 */
function upperSnake(format: string): string {
  return format
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z\d]+/g, '_')
    .toUpperCase();
}

function decodeWhole(bytes: Uint8Array): ErrorStatus | undefined {
  const { message, details } = Status.decode(bytes);
  const parts = new Map(details.map(({ typeUrl, value }) => [typeUrl.slice(TYPE_PREFIX.length), value]));
  const part = <T>(type: string, decode: (bytes: Buffer) => T): T | undefined => {
    const value = parts.get(type);
    return value === undefined ? undefined : decode(value);
  };
  const info = part('google.rpc.ErrorInfo', ErrorInfo.decode);
  if (info?.domain !== DOMAIN || !Object.hasOwn(REASONS, info.reason)) return undefined;
  const delay = part('google.rpc.RetryInfo', RetryInfo.decode)?.retryDelay;
  return {
    reason: info.reason as ReasonName,
    message,
    violations: violationsOf(part('google.rpc.BadRequest', BadRequest.decode), info.metadata['violations']),
    retryAfterMs: delay && delay.seconds * 1000 + delay.nanos / 1_000_000,
    stepUp: stepUpOf(info.metadata),
    challenge: part(LOGIN_CHALLENGE, decodeLoginChallenge),
    diagnostics: diagnosticsOf(part('google.rpc.DebugInfo', DebugInfo.decode)),
    dependency: info.metadata['dependency'] === 'authentication' ? 'authentication' : undefined,
    requestId: info.metadata['requestId'],
  };
}

function stepUpOf({ max_age: maxAge, amr, methods }: Record<string, string>): StepUp | undefined {
  if (maxAge === undefined && amr === undefined && methods === undefined) return undefined;
  return {
    ...(maxAge !== undefined && { maxAge: Number(maxAge) }),
    ...(amr === 'mfa' && { amr }),
    ...(methods !== undefined && { methods: methods.split(',').filter(isFactorMethod) }),
  };
}

function violationsOf(request: BadRequest | undefined, rest: string | undefined): Violation[] {
  const extras = JSON.parse(rest ?? '[]') as Omit<Violation, 'message'>[];
  return (request?.fieldViolations ?? []).map(({ description }, index) => ({ message: description, ...extras[index] }));
}

function diagnosticsOf(info: DebugInfo | undefined): Diagnostics | undefined {
  if (info === undefined) return undefined;
  const colon = info.detail.indexOf(': ');
  return {
    exceptionType: info.detail.slice(0, colon),
    exceptionMessage: info.detail.slice(colon + 2),
    stackTrace: info.stackEntries.join('\n'),
  };
}

/** The gRPC status code of a reason. */
export function grpcCodeOf(reason: ReasonName): status {
  return status[REASONS[reason].grpcStatus];
}
