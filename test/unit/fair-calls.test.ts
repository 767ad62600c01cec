import { setImmediate as allSettled } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { createFairCalls } from '../../src/platform/rpc/pipeline/fair-calls.ts';
import type { Call } from '../../src/platform/rpc/types.ts';

interface Caller {
  readonly tenantId?: string;
  readonly accountId?: string;
  readonly address?: string;
}

function callOf({ tenantId, accountId, address = '192.0.2.1' }: Caller): Call {
  const account = { id: accountId ?? 'a', tenantId };
  const principal = tenantId === undefined && accountId === undefined ? undefined : { account };
  return { clientAddress: address, principal, deadline: UNLIMITED } as unknown as Call;
}

/** Starts a call that runs until it is ended. */
function bench() {
  const fair = createFairCalls({ maxOfTenants: 8, maxWithoutPrincipal: 8 });
  const started: Caller[] = [];
  const ends: (() => void)[] = [];
  const begin = (caller: Caller, count = 1) => {
    for (let index = 0; index < count; index += 1) {
      void fair.run(callOf(caller), () => {
        started.push(caller);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    }
  };
  const values = () =>
    Object.fromEntries(fair.metrics.map(({ name, read }) => [name, read().map(({ value }) => value)]));
  return { begin, started, ends, values };
}

describe('createFairCalls', () => {
  it('runs at most half of the calls for one tenant, so another tenant starts at once', async () => {
    const { begin, started, values } = bench();
    begin({ tenantId: 'acme' }, 100);
    await allSettled();
    expect(started).toHaveLength(4);
    begin({ tenantId: 'other' });
    await allSettled();
    expect(started.at(-1)).toEqual({ tenantId: 'other' });
    expect(values()).toEqual({ rpc_calls_running: [5, 0], rpc_calls_queued: [96, 0] });
  });

  it('lets tenants take turns', async () => {
    const { begin, started, ends } = bench();
    begin({ tenantId: 'acme' }, 100);
    begin({ tenantId: 'other' }, 100);
    begin({ tenantId: 'third' }, 1);
    await allSettled();
    for (let turn = 0; turn < 40; turn += 1) {
      ends.shift()!();
      await allSettled();
    }
    const of = (tenant: string) => started.filter(({ tenantId }) => tenantId === tenant).length;
    expect(of('third')).toBe(1);
    expect(Math.abs(of('acme') - of('other'))).toBeLessThanOrEqual(3);
  });

  it('lets accounts without a tenant, and networks, take turns', async () => {
    const { begin, started } = bench();
    begin({ accountId: 'one' }, 100);
    begin({ accountId: 'two' });
    begin({ address: '192.0.2.1' }, 100);
    begin({ address: '2001:db8::1' }, 100);
    begin({ address: '2001:db8::2' }, 100);
    await allSettled();
    expect(started.map(({ accountId, address }) => accountId ?? address)).toEqual([
      ...Array<string>(4).fill('one'),
      'two',
      ...Array<string>(4).fill('192.0.2.1'),
      ...Array<string>(2).fill('2001:db8::1'),
    ]);
  });

  it('rejects with SERVICE_UNAVAILABLE if too many calls of a tenant wait', async () => {
    const fair = createFairCalls({ maxOfTenants: 2, maxWithoutPrincipal: 2 });
    const never = () => new Promise<void>(() => undefined);
    for (let count = 0; count < 4_097; count += 1) void fair.run(callOf({ tenantId: 'acme' }), never);
    const above = fair.run(callOf({ tenantId: 'acme' }), never);
    await expect(above).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 });
  });
});
