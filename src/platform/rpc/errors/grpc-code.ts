import { status } from '@grpc/grpc-js';
import type { ReasonName } from '../../errors.ts';
import { REASONS } from '../../problem/catalogue.ts';

/** The gRPC status code of a reason. */
export function grpcCodeOf(reason: ReasonName): status {
  return status[REASONS[reason].grpcStatus];
}
