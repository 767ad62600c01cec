// Adds our error details to messages that grpc-js refuses before a handler runs.
import { status, type Metadata, type ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { ReasonName, Violation } from '../../../errors.ts';
import { type PrivateUse, privateMembers } from '../../../private-members.ts';
import { REASONS } from '../../../problem/catalogue.ts';
import { toGrpcStatus } from '../../errors/grpc-status.ts';
import { requestIdFrom } from '../../pipeline/request-id.ts';

/** The reasons of these refusals by status code. Our handlers never use these codes without details. */
const REFUSALS: Partial<Record<number, ReasonName>> = {
  [status.RESOURCE_EXHAUSTED]: 'MESSAGE_TOO_LARGE',
  [status.UNIMPLEMENTED]: 'UNSUPPORTED_COMPRESSION',
  [status.INTERNAL]: 'VALIDATION_ERROR', // decompression failed, or the deadline is invalid
};

/**
 * Matches the refusal of a call with no message, or with too many. It has the same code as an unknown compression.
 */
const WRONG_NUMBER = /^Received (?:no|a second) request message/;

function reasonOf(code: number, details: string): ReasonName | undefined {
  return WRONG_NUMBER.test(details) ? 'VALIDATION_ERROR' : REFUSALS[code];
}

/** Private members of grpc-js's call below all interceptors. */
interface BaseCall {
  readonly metadata: Metadata;
  readonly sendStatus: unknown;
}

const CALL: PrivateUse = { library: '@grpc/grpc-js', without: 'refused messages of streams have no reason' };

/** Adds a reason and the request id to the statuses with which grpc-js refuses messages. */
export const explainRefusedMessages: ServerInterceptor = (_method, call) => {
  const base = privateMembers<BaseCall>(call, ['metadata', 'sendStatus'], CALL);
  if (base === undefined) return call as ServerInterceptingCall;
  // grpc-js sends its own statuses below all interceptors, through this method of the call.
  const send = call.sendStatus.bind(call);
  call.sendStatus = (given) => {
    const details = given.details ?? '';
    const reason = given.metadata == null ? reasonOf(given.code ?? status.OK, details) : undefined;
    send(
      reason === undefined ? given : refusedMessage(reason, { message: details }, base.metadata.get('x-request-id')[0]),
    );
  };
  return call as ServerInterceptingCall;
};

/** Returns the status of a message that is refused before a handler runs. */
export function refusedMessage(
  reason: ReasonName,
  violation: Violation,
  requestId?: string | Buffer,
): ReturnType<typeof toGrpcStatus> {
  const { detail, retryAfterSeconds } = REASONS[reason];
  return toGrpcStatus({
    reason,
    // The detail of this reason says nothing.
    message: reason === 'INTERNAL_ERROR' ? violation.message : detail,
    violations: [violation],
    retryAfterMs: retryAfterSeconds && retryAfterSeconds * 1_000,
    diagnostics: undefined,
    requestId: requestIdFrom(requestId?.toString()),
  });
}
