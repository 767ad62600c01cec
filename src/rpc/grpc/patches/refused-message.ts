// Messages that grpc-js refuses before any handler sees them, and what callers are told of it.
import { status } from '@grpc/grpc-js';
import type { Metadata, ServerInterceptingCall, ServerInterceptor } from '@grpc/grpc-js';
import type { ReasonName } from '../../../errors.ts';
import { toGrpcStatus } from '../../errors/grpc-status.ts';
import { REASONS } from '../../../problem/catalogue.ts';
import { requestIdFrom } from '../../pipeline/request-id.ts';

/** The reasons of such refusals by their codes. No handler of ours uses these codes without details. */
const REFUSALS: Partial<Record<number, ReasonName>> = {
  [status.RESOURCE_EXHAUSTED]: 'MESSAGE_TOO_LARGE',
  [status.UNIMPLEMENTED]: 'UNSUPPORTED_COMPRESSION',
  [status.INTERNAL]: 'VALIDATION_ERROR', // it cannot be unpacked, or its deadline cannot be read
};

/** A call that brings no message, or more than its method takes, is refused with the code of an unknown compression. */
const WRONG_NUMBER = /^Received (?:no|a second) request message/;

function reasonOf(code: number, details: string): ReasonName | undefined {
  return WRONG_NUMBER.test(details) ? 'VALIDATION_ERROR' : REFUSALS[code];
}

/** Gives the bare statuses with which grpc-js refuses messages a reason and the id of the request. */
export const explainRefusedMessages: ServerInterceptor = (_method, call) => {
  const base = call as unknown as { readonly metadata: Metadata };
  // grpc-js sends its own statuses below every interceptor, by this method of the call itself.
  const send = call.sendStatus.bind(call);
  call.sendStatus = (given) => {
    const details = given.details ?? '';
    const reason = given.metadata == null ? reasonOf(given.code ?? status.OK, details) : undefined;
    send(reason === undefined ? given : explained(reason, details, base.metadata.get('x-request-id')[0]));
  };
  return call as ServerInterceptingCall;
};

function explained(reason: ReasonName, message: string, requestId?: string | Buffer): ReturnType<typeof toGrpcStatus> {
  return toGrpcStatus({
    reason,
    message: REASONS[reason].detail,
    violations: [{ message }],
    retryAfterMs: undefined,
    diagnostics: undefined,
    requestId: requestIdFrom(requestId?.toString()),
  });
}
