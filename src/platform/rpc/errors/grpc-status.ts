// Converts errors to gRPC statuses and back.
import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import type { ReasonName } from '../../errors.ts';
import { type ErrorStatus, RpcError, bareError } from './rpc-error.ts';
import { cutText } from './stack-trace.ts';
import { type ToFieldPath, decodeStatus, encodeStatus, grpcCodeOf } from './status-details.ts';

const DETAILS_KEY = 'grpc-status-details-bin';
/** A code point may take twelve bytes when percent-encoded. The details contain the whole text. */
const MAX_MESSAGE_CODE_POINTS = 256;

const RETRIED_BY_POLICIES = new Set<status>([status.UNAVAILABLE, status.RESOURCE_EXHAUSTED]);

/** The reasons of statuses without our details: they come from the transport, not from a core. */
const TRANSPORT_REASONS: Partial<Record<number, ReasonName>> = {
  [status.UNAVAILABLE]: 'SERVICE_UNAVAILABLE',
  [status.DEADLINE_EXCEEDED]: 'DEADLINE_EXCEEDED',
  [status.CANCELLED]: 'CANCELLED',
  [status.RESOURCE_EXHAUSTED]: 'MESSAGE_TOO_LARGE',
  [status.INVALID_ARGUMENT]: 'VALIDATION_ERROR',
  // The core does not serve the RPC: an older core, or one without the module.
  [status.UNIMPLEMENTED]: 'NOT_FOUND',
};

/**
 * Returns the status with which a server ends a failed call.
 *
 * @param toFieldPath Names the request's fields in google.rpc.BadRequest. Without it, the fields have no names.
 */
export function toGrpcStatus(error: ErrorStatus, toFieldPath?: ToFieldPath): StatusObject {
  const metadata = new Metadata();
  metadata.set(DETAILS_KEY, encodeStatus(error, toFieldPath));
  const code = grpcCodeOf(error.reason);
  if (RETRIED_BY_POLICIES.has(code)) metadata.set('grpc-retry-pushback-ms', pushback(error));
  const details = cutText(error.message.toWellFormed(), MAX_MESSAGE_CODE_POINTS);
  return { code, details, metadata };
}

/** The delay for a client's retry policy, which replaces its own back-off (gRFC A6). -1 means never. */
function pushback({ retryAfterMs }: ErrorStatus): string {
  return retryAfterMs === undefined ? '-1' : String(Math.ceil(retryAfterMs));
}

/** Whether a core ended the call with this status. Otherwise the transport did. */
export function isFromCore({ metadata }: StatusObject): boolean {
  return metadata.get(DETAILS_KEY).length > 0;
}

/** Converts the status of a failed call to the client's error. */
export function fromGrpcStatus({ code, details, metadata }: StatusObject, requestId: string | undefined): RpcError {
  const [bytes] = metadata.get(DETAILS_KEY);
  const decodedStatus = Buffer.isBuffer(bytes) ? decodeStatus(bytes) : undefined;
  if (decodedStatus !== undefined) return new RpcError(decodedStatus);
  return bareError(TRANSPORT_REASONS[code] ?? 'INTERNAL_ERROR', requestId, new Error(`${status[code]}: ${details}`));
}
