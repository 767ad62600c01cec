import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MysqlConnection } from '../../src/platform/db/mysql/connection.ts';
import { createHosts } from '../../src/platform/db/mysql/hosts.ts';
import { nodeStateOf } from '../../src/platform/db/mysql/node-state.ts';
import { hadNoEffect, hopeless, mustLeaveConnection, toSafeError, unavailable } from '../../src/platform/db/errors.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';

const log = pino({ level: 'silent' });
/** The time of all tests, by performance.now(). */
const NOW = 10_000;
const TOO_MANY = toSafeError({ code: 'ER_CON_COUNT_ERROR', errno: 1040 }, 'connecting');
const TIMED_OUT = toSafeError({ code: 'ETIMEDOUT', errno: -110, fatal: true }, 'connecting');

interface Opened {
  readonly idle: MysqlConnection[];
  readonly open: readonly MysqlConnection[];
}

/** Hosts that open connections unless they are `down`, and pass checks over `idle` ones unless they are `silent`. */
function fakeHosts(...names: string[]) {
  const hosts = names.map((address) => ({
    address,
    down: undefined as Error | undefined,
    silent: false,
    opened: 0,
    limits: [] as number[],
    async check() {
      if (this.silent) throw unavailable('no response');
    },
    async open(timeoutMs: number) {
      this.limits.push(timeoutMs);
      if (this.down) throw this.down;
      this.opened += 1;
      return Object.assign(new EventEmitter(), {
        destroy: () => {},
        stream: { destroy: () => {} },
        address,
      }) as unknown as MysqlConnection;
    },
  }));
  const idle: MysqlConnection[] = [];
  const connections = { take: () => idle.pop(), giveBack: (connection: MysqlConnection) => void idle.push(connection) };
  return { hosts, idle, choice: createHosts(hosts, connections, log) };
}

describe('the choice of a database host', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(NOW);
  });
  afterEach(() => void vi.useRealTimers());

  it('shares the time to connect and stays with a host that works', async () => {
    const { hosts, choice } = fakeHosts('a', 'b');
    hosts[0]!.down = unavailable('down');
    const connection = await choice.open();
    expect(choice.active.address).toBe('b');
    expect(choice.isUsable(connection)).toBe(true);
    hosts[0]!.down = undefined;
    await choice.open();
    expect(choice.active.address).toBe('b');
    expect(hosts[0]!.limits).toEqual([1_000]);
  });

  it('returns to the first host by a check, after its pause, and retires the connections of the second', async () => {
    const { hosts, choice } = fakeHosts('a', 'b');
    hosts[0]!.down = unavailable('down');
    const connection = await choice.open();
    hosts[0]!.down = undefined;
    vi.advanceTimersByTime(2_100);
    choice.checkIfDue();
    await expect.poll(() => choice.active.address).toBe('a');
    expect(choice.isUsable(connection)).toBe(false);
    expect(connection.discardedBecause).toBeUndefined();
  });

  it('closes all connections of a host that fails its check after a failed statement', async () => {
    const { hosts, choice } = fakeHosts('a', 'b');
    const [failed, waiting] = [await choice.open(), await choice.open()];
    const abandoned = vi.fn();
    waiting.abandon = abandoned;
    hosts[0]!.down = unavailable('down');
    choice.reportFailure(failed);
    await choice.pendingCheck;
    expect(choice.active.address).toBe('b');
    expect(abandoned).toHaveBeenCalledOnce();
    expect(choice.isUsable(waiting)).toBe(false);
  });

  it('keeps connections if the check passes', async () => {
    const { choice } = fakeHosts('a', 'b');
    const [failed, other] = [await choice.open(), await choice.open()];
    choice.reportFailure(failed);
    await choice.pendingCheck;
    expect(choice.isUsable(other)).toBe(true);
  });

  it.each([
    ['refuses connections beyond its limit', TOO_MANY, () => {}],
    ['answers over an idle connection', TIMED_OUT, ({ idle, open }: Opened) => void idle.push(open[0]!)],
    ['has just answered a statement', TIMED_OUT, ({ open }: Opened) => Object.assign(open[0]!, { answeredAt: NOW })],
  ])('keeps all connections if opening another one fails and the host %s', async (_name, error, prepare) => {
    const { hosts, idle, choice } = fakeHosts('a', 'b');
    const open = [await choice.open(), await choice.open()];
    hosts[0]!.down = error;
    prepare({ idle, open });
    await expect(choice.open()).rejects.toBe(error);
    choice.reportFailure(open[0]!);
    await choice.pendingCheck;
    expect(choice.active.address).toBe('a');
    expect(open.map(choice.isUsable)).toEqual([true, true]);
  });

  it('leaves a host that refuses connections beyond its limit if it has no usable one', async () => {
    const { hosts, choice } = fakeHosts('a', 'b');
    choice.close(await choice.open());
    hosts[0]!.down = TOO_MANY;
    await choice.open();
    expect(choice.active.address).toBe('b');
  });

  it('leaves a host that does not answer, neither a new connection nor an idle one', async () => {
    const { hosts, idle, choice } = fakeHosts('a', 'b');
    const connection = Object.assign(await choice.open(), { answeredAt: NOW - 5_000 });
    idle.push(connection);
    Object.assign(hosts[0]!, { down: TIMED_OUT, silent: true });
    await choice.open();
    expect(choice.active.address).toBe('b');
    expect(choice.isUsable(connection)).toBe(false);
  });

  it('checks a host over an idle connection, and over a new one if that fails', async () => {
    const { hosts, idle, choice } = fakeHosts('a', 'b');
    const connection = await choice.open();
    idle.push(connection);
    choice.reportFailure(connection);
    await choice.pendingCheck;
    expect(hosts[0]!.opened).toBe(1);
    expect(idle).toEqual([connection]);
    hosts[0]!.silent = true;
    choice.reportFailure(connection);
    await choice.pendingCheck;
    expect(hosts[0]!.opened).toBe(2);
    expect(choice.isUsable(connection)).toBe(true);
  });

  it('tries hosts that were set aside if no other works, and reports a failure that waiting may mend', async () => {
    const { hosts, choice } = fakeHosts('a', 'b');
    hosts[0]!.down = hopeless('too old');
    hosts[1]!.down = unavailable('down');
    await expect(choice.open()).rejects.toThrow('down');
    hosts[1]!.down = undefined;
    await choice.open();
    expect(choice.active.address).toBe('b');
  });

  it('never sets a single host aside', async () => {
    const { hosts, choice } = fakeHosts('a');
    const connection = await choice.open();
    hosts[0]!.down = unavailable('down');
    await expect(choice.open()).rejects.toThrow('down');
    choice.reportFailure(connection);
    expect(choice.pendingCheck).toBeUndefined();
    expect(choice.isUsable(connection)).toBe(true);
    expect(hosts[0]!.limits).toEqual([2_000, 2_000]);
  });
});

const GALERA = { wsrep_on: 'ON', wsrep_ready: 'ON', wsrep_local_state: '4', wsrep_local_state_comment: 'Synced' };
const WAIT = 'SET SESSION wsrep_sync_wait = 7';

describe('the state of a node', () => {
  it.each([
    ['a plain server', { read_only: 'OFF', wsrep_on: 'OFF' }, undefined, undefined],
    ['a read-only MariaDB', { read_only: 'ON' }, 'read-only server (read_only)', undefined],
    ['a newer read-only MariaDB', { read_only: 'NO_LOCK' }, 'read-only server (read_only)', undefined],
    [
      'a reader of Aurora',
      { read_only: 'OFF', innodb_read_only: 'ON' },
      'read-only server (innodb_read_only)',
      undefined,
    ],
    ['a Galera node', GALERA, undefined, WAIT],
    ['a Galera node cut off', { ...GALERA, wsrep_ready: 'OFF' }, 'the node is not ready (wsrep_ready)', WAIT],
    [
      'a Galera donor',
      { ...GALERA, wsrep_local_state: '2', wsrep_local_state_comment: 'Donor/Desynced' },
      'the node is not synced (wsrep_local_state Donor/Desynced)',
      WAIT,
    ],
    [
      'a primary of group replication',
      { super_read_only: 'OFF', group_replication_consistency: 'EVENTUAL' },
      undefined,
      "SET SESSION group_replication_consistency = 'BEFORE'",
    ],
    [
      'a secondary of group replication',
      { read_only: 'ON', super_read_only: 'ON', group_replication_consistency: 'EVENTUAL' },
      'read-only server (super_read_only)',
      "SET SESSION group_replication_consistency = 'BEFORE'",
    ],
  ])('is read from its variables: %s', (_name, facts, problem, causalReads) => {
    const majorityRead = causalReads?.includes('group_replication') ? expect.stringMatching(/^SELECT/) : undefined;
    expect(nodeStateOf(new Map(Object.entries(facts)))).toEqual({ problem, causalReads, majorityRead });
  });
});

describe('an error of group replication', () => {
  it.each([3100, 3796, 3797, 3798, 3799])('%i is an outage, after which the connection is not used again', (errno) => {
    expect(toSafeError({ errno })).toBeInstanceOf(DependencyUnavailableError);
    expect(hadNoEffect(toSafeError({ errno }))).toBe(false);
    expect(mustLeaveConnection({ errno })).toBe(true);
  });

  it.each([3098, 3101])('%i is an outage without effect, like a deadlock', (errno) => {
    expect(toSafeError({ errno })).toBeInstanceOf(DependencyUnavailableError);
    expect(hadNoEffect(toSafeError({ errno }))).toBe(true);
    expect(mustLeaveConnection({ errno })).toBe(false);
  });
});
