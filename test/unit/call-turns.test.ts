// When the calls of a trusted gateway start, whose responses are not read.
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { createCallTurns, GATEWAY_LIMITS } from '../../src/platform/rpc/grpc/call-turns.ts';
import type { ServerHttp2Stream } from 'node:http2';

it('calls of a trusted gateway wait while many bytes are unsent', async () => {
  const turnOf = createCallTurns();
  const session = {};
  const open = () => {
    const stream = Object.assign(new EventEmitter(), { session });
    return { stream, turn: turnOf(stream as unknown as ServerHttp2Stream, true) };
  };
  const first = open();
  await first.turn.begin(UNLIMITED);
  first.turn.respond(GATEWAY_LIMITS.maxUnsentBytes);
  const second = open();
  await second.turn.begin(UNLIMITED);
  second.turn.respond(1);
  let hasStarted = false;
  void open()
    .turn.begin(UNLIMITED)!
    .then(() => (hasStarted = true));
  await nextTurn();
  await nextTurn();
  expect(hasStarted).toBe(false);
  second.stream.emit('close');
  await nextTurn();
  await nextTurn();
  expect(hasStarted).toBe(true);
});
