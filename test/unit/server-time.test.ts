import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { type MysqlConnection, send } from '../../src/platform/db/mysql/connection.ts';
import { checkServerValues, checkValues } from '../../src/platform/db/values.ts';
import { ServerTime } from '../../src/platform/db/types.ts';

/** A connection to a server whose clock is ahead, with the values of its statements. */
function connectionAhead(ms: number) {
  const sent: unknown[][] = [];
  const connection = Object.assign(new EventEmitter(), {
    clock: { ms },
    prepared: {
      execute(_sql: string, values: unknown[], finish: (error: null, result: unknown[]) => void) {
        sent.push(values);
        finish(null, []);
      },
    },
  }) as unknown as MysqlConnection;
  return { connection, sent };
}

it('sends a deadline by the clock of the server that the connection leads to', async () => {
  const values = [new ServerTime(1_000.5), 'text', 7];
  for (const [ahead, expected] of [
    [5_000, 6_000],
    [-400, 600],
    [0, 1_000],
  ] as const) {
    const { connection, sent } = connectionAhead(ahead);
    await send(connection, 'execute', 'SELECT ?, ?, ?', values, 1_000);
    expect(sent).toEqual([[expected, 'text', 7]]);
  }
});

it('accepts a deadline by the clock of a server only for statements that a server gets', () => {
  const values = [new ServerTime(1_000)];
  expect(() => checkServerValues(values)).not.toThrow();
  expect(() => checkValues(values)).toThrow(TypeError);
});
