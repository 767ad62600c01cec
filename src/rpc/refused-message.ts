// Messages that grpc-js refuses before any handler hears of them: too large, packed into something too large, or not unpackable.
import { status } from '@grpc/grpc-js';
import type { ServerInterceptingCall, ServerInterceptor } from '@grpc/grpc-js';
import { toGrpcStatus } from './grpc-status.ts';
import { REASONS } from './reasons.ts';

/** The codes of such refusals. No handler of ours uses them without details. */
const REFUSALS = new Set<status>([status.RESOURCE_EXHAUSTED, status.INTERNAL, status.UNIMPLEMENTED]);

/** Makes errors of ours of the bare statuses with which grpc-js refuses messages: a VALIDATION_ERROR that tells why. */
export const explainRefusedMessages: ServerInterceptor = (_method, call) => {
  // grpc-js gives its own verdicts below every interceptor, by this method of the call itself.
  const send = call.sendStatus.bind(call);
  call.sendStatus = (given) => {
    const refused = REFUSALS.has(given.code ?? status.OK) && given.metadata == null;
    send(refused ? explained(given.details ?? '') : given);
  };
  return call as ServerInterceptingCall;
};

function explained(message: string): ReturnType<typeof toGrpcStatus> {
  return toGrpcStatus({
    reason: 'VALIDATION_ERROR',
    message: REASONS.VALIDATION_ERROR.message,
    violations: [{ message }],
    retryAfterMs: undefined,
    diagnostics: undefined,
    requestId: undefined,
  });
}
