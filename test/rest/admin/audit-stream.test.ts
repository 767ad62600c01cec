// The stream of audit records and the head of the trail: content, resumption, filters, and the end of a stream.
// How soon it ends: test/rest/auth/revocations.timed.test.ts.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { insertAuditRecords, type NewAuditRecord } from '../../../src/auth/audit/trail/audit-store.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { openEvents, type EventStream } from '../../support/event-stream.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { actorOf, type Actor } from '../../support/world.ts';
import { sealAll } from '../../support/seal-all.ts';

const PATH = '/api/v1/audit-records/stream';

describe.each(DIAGONAL)('audit stream ($engine, $transport)', (how) => {
  let deployment: Deployment;
  let root: Actor;
  let admin: Actor;
  let streams: EventStream[] = [];

  beforeAll(async () => {
    deployment = await deploy({ ...how, settings: { 'app.audit.streams-per-account': '10' } });
    const actor = async (tenantId: string | undefined, role: 'SUPER_ADMIN' | 'TENANT_ADMIN') => {
      const account = await seedAccount(deployment.database, { tenantId, roles: [role] });
      return actorOf(account, await seedSession(deployment, account));
    };
    root = await actor(undefined, 'SUPER_ADMIN');
    admin = await actor('acme', 'TENANT_ADMIN');
    await sealAll(deployment);
  });
  afterEach(() => {
    for (const stream of streams) stream.close();
    streams = [];
  });
  afterAll(() => deployment?.close());

  const record = (tenantId: string | undefined, more: Partial<NewAuditRecord> = {}): NewAuditRecord => {
    const base = { id: newId(), at: deployment.clock.now(), event: 'test.happened', clientAddress: '', requestId: '' };
    return { ...base, tenantId, ...more };
  };
  const add = async (...records: NewAuditRecord[]) => {
    await deployment.database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
    await sealAll(deployment);
    return records.map(({ id }) => id);
  };
  const open = async (actor: Actor, query = '', headers: Readonly<Record<string, string>> = {}) => {
    const url = `${deployment.url}${PATH}${query}`;
    const stream = await openEvents(url, { ...bearer(actor.session.accessToken), ...headers });
    streams.push(stream);
    return stream;
  };
  const idsOf = ({ events }: EventStream) => events.map(({ data }) => data.id);

  /** The cursor of the first comment. */
  const beginOf = (stream: EventStream): Promise<string> =>
    vi.waitFor(() => /^heartbeat\nid: (\S+)$/.exec(stream.comments[0]!)![1]!, { timeout: 10_000 });

  it('shows the records of the tenant as the list does, and resumes after each', async () => {
    const stream = await open(admin);
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const [first, , second] = await add(record('acme'), record('globex'), record('acme', { details: { count: 2 } }));
    await stream.find('record', second);
    expect(idsOf(stream)).toEqual([first, second]);
    const { body } = await restClient(deployment.url).send('GET', '/api/v1/audit-records?perPage=2', {
      headers: bearer(admin.session.accessToken),
    });
    expect(stream.events.map(({ data }) => data)).toEqual(body.toReversed());

    const third = await add(record('acme'));
    const resumed = await open(admin, '', { 'last-event-id': stream.events[0]!.id! });
    await resumed.find('record', third[0]);
    expect(idsOf(resumed)).toEqual([second, third[0]]);
    // The comment at the beginning has a cursor of the same place, too.
    const again = await open(admin, '', { 'last-event-id': await beginOf(resumed) });
    await again.find('record', third[0]);
    expect(idsOf(again)).toEqual([second, third[0]]);
  });

  it('has cursors that do not show whether others had events', async () => {
    const [one, other] = [await open(admin), await open(admin)];
    expect(await beginOf(one)).not.toBe(await beginOf(other));
  });

  it('measures how long a reader that does not read is behind', async () => {
    const metric = deployment.core.metrics.find(({ name }) => name === 'audit_stream_lag_seconds')!;
    const lag = () => metric.read()[0]!.value;
    const calling = new AbortController();
    const options = { ...admin.as, timeoutMs: 60_000, signal: calling.signal };
    const reader = deployment.clients.audit.streamAuditRecords({ events: [] }, options)[Symbol.asyncIterator]();
    await reader.next();
    await eventually(() => expect(lag()).toBeLessThan(1));
    await add(...Array.from({ length: 2_000 }, () => record('acme')));
    await eventually(() => expect(lag()).toBeGreaterThan(1));
    calling.abort();
    await reader.return?.().catch(() => undefined);
    await eventually(() => expect(lag()).toBe(0));
  });

  it('filters as the list does', async () => {
    const accountId = newId();
    const actorId = newId();
    const until = new Date(deployment.clock.now() + 1_000).toISOString();
    const all = await Promise.all(
      [
        '?events=test.a&events=test.b',
        `?accountId=${accountId}`,
        `?actorId=${actorId}`,
        `?until=${until}`,
        '?tenantId=globex',
      ].map((query) => open(root, query)),
    );
    const late = { at: deployment.clock.now() + 2_000 };
    const [a, b, c, d, e] = await add(
      record('acme', { ...late, event: 'test.a' }),
      record('acme', { ...late, accountId }),
      record(undefined, { ...late, actorId }),
      record('acme'),
      record('globex', { ...late, event: 'test.b' }),
    );
    const wanted = [[a, e], [b], [c], [d], [e]];
    for (const [index, ids] of wanted.entries()) await all[index]!.find('record', ids.at(-1));
    expect(all.map(idsOf)).toEqual(wanted);
  });

  it('shows each record once to a reader that resumes again and again', async () => {
    let resumeFrom: string | undefined;
    const seen: string[] = [];
    const wanted: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const stream = await open(
        root,
        '?events=test.round',
        resumeFrom === undefined ? {} : { 'last-event-id': resumeFrom },
      );
      resumeFrom ??= await beginOf(stream);
      const ids = await add(...['acme', undefined, 'globex'].map((tenant) => record(tenant, { event: 'test.round' })));
      wanted.push(...ids);
      await Promise.all(ids.map((id) => stream.find('record', id)));
      // Resumes one record too early every other time.
      const last = stream.events.at(round % 2 === 0 ? -1 : -2)!;
      seen.push(...idsOf(stream).slice(0, stream.events.indexOf(last) + 1));
      resumeFrom = last.id!;
      stream.close();
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(wanted.slice(0, -1).filter((id) => !seen.includes(id))).toEqual([]);
  });

  it.each([
    ['no credential', 401, '', {}, undefined],
    ['another tenant', 403, '?tenantId=globex', {}, 'admin'],
    ['a bad cursor', 400, '', { 'last-event-id': 'AAAAAAAAAAAAAAAAAAAAAA' }, 'admin'],
    ['a cursor that is too long', 400, '', { 'last-event-id': 'x'.repeat(65) }, 'admin'],
    ['an unknown parameter', 400, '?after=x', {}, 'admin'],
    ['a credential in the query', 401, '?access_token=x', {}, undefined],
  ] as const)('returns an error for %s', async (_, status, query, headers, who) => {
    const credential = who === undefined ? {} : bearer(admin.session.accessToken);
    const stream = await openEvents(`${deployment.url}${PATH}${query}`, { ...credential, ...headers });
    expect(stream.status).toBe(status);
  });

  it('ends with its session', async () => {
    const account = await seedAccount(deployment.database, { tenantId: 'acme', roles: ['TENANT_ADMIN'] });
    const actor = actorOf(account, await seedSession(deployment, account));
    const stream = await open(actor);
    await restClient(deployment.url).logout({ accessToken: actor.session.accessToken });
    await stream.ended;
    expect(stream.comments.at(-1)).toBe('the stream has ended: TOKEN_INVALID');
  });

  it('limits the streams of an account', async () => {
    const account = await seedAccount(deployment.database, { tenantId: 'acme', roles: ['TENANT_ADMIN'] });
    const actor = actorOf(account, await seedSession(deployment, account));
    for (let index = 0; index < 10; index += 1) expect((await open(actor)).status).toBe(200);
    expect((await open(actor)).status).toBe(429);
  });

  it('has a signed head, of the tenant and of all', async () => {
    await add(record('acme'));
    const headOf = async (actor: Actor, query = '') =>
      (
        await restClient(deployment.url).send('GET', `/api/v1/audit-records/head${query}`, {
          headers: bearer(actor.session.accessToken),
        })
      ).body;
    const [own, all, chosen] = [await headOf(admin), await headOf(root), await headOf(root, '?tenantId=acme')];
    expect(decodeProtectedHeader(own.jws)).toMatchObject({ typ: 'audit-head+jwt' });
    expect(decodeJwt(own.jws)).toMatchObject({ tenantId: 'acme', number: own.number, mac: expect.any(String) });
    expect(decodeJwt(all.jws)).toMatchObject({ tenantId: '*', number: all.number });
    expect(decodeJwt(chosen.jws)['mac']).toBe(decodeJwt(own.jws)['mac']);
    // The job may seal a record before it is seen.
    const [waiting, other] = await eventually(async () => {
      const late = record('acme');
      await deployment.database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, [late]));
      const heads = [await headOf(admin), await headOf(root, '?tenantId=unknown')];
      expect(heads[0].unsealedSince).toBe(new Date(late.at).toISOString());
      return heads;
    });
    expect(waiting.number).toBeGreaterThanOrEqual(own.number);
    expect(other).toEqual({ jws: expect.any(String), number: 0 });
    await sealAll(deployment);
    await eventually(async () => expect(await headOf(admin)).not.toHaveProperty('unsealedSince'));
  });
});
