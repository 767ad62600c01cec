// The details of an error from the core.
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { BadRequest, type BadRequest_FieldViolation, ErrorInfo, RetryInfo } from '../gen/google/rpc/error_details.ts';
import { Status } from '../gen/google/rpc/status.ts';

/** The reason of an error from the core; empty for errors of the network or the gRPC library. */
export const reasonOf = (error: unknown): string => detail(error, 'google.rpc.ErrorInfo', ErrorInfo)?.reason ?? '';

/** The fields of the request that break a rule. */
export const violationsOf = (error: unknown): BadRequest_FieldViolation[] =>
  detail(error, 'google.rpc.BadRequest', BadRequest)?.fieldViolations ?? [];

/** How many milliseconds to wait before the next attempt; 0 if a retry does not help. */
export function retryAfter(error: unknown): number {
  const { seconds = 0, nanos = 0 } = detail(error, 'google.rpc.RetryInfo', RetryInfo)?.retryDelay ?? {};
  return seconds * 1_000 + nanos / 1_000_000;
}

/**
 * Whether the connection failed before the whole response arrived. The core may have processed the call: repeat it only if it
 * changes nothing.
 */
export const isLost = (error: unknown): boolean =>
  (error as Partial<ServiceError>).code === status.UNAVAILABLE && reasonOf(error) === '';

function detail<Detail>(error: unknown, name: string, type: { decode(bytes: Uint8Array): Detail }): Detail | undefined {
  const { metadata } = error as { metadata?: Metadata };
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(bytes)) return undefined;
  const found = Status.decode(bytes).details.find(({ typeUrl }) => typeUrl.endsWith(`/${name}`));
  return found && type.decode(found.value);
}
