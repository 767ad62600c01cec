// Evidence: audit records as a file, and its verification. Each way to change the file, or the trail before the export, is noticed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAuditRecords, type NewAuditRecord } from '../../src/auth/audit/trail/audit-store.ts';
import { removalMacOf } from '../../src/auth/audit/seals/seal-chain.ts';
import { storeRemoval } from '../../src/auth/audit/seals/seal-store.ts';
import { selectSeals } from '../../src/auth/audit/seals/verify-store.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { loadSealKey } from '../../src/composition/audit-trail.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import { caller, type Caller } from '../support/callers.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../support/key-encryption-key.ts';
import { deploy, DIAGONAL, type Deployment } from '../support/deployment.ts';
import { sealAll } from '../support/seal-all.ts';
import { emptyFolder } from '../support/service-process.ts';

const NDJSON = { accept: 'application/x-ndjson' };
const FIRST_AT = Date.parse('2026-03-01T10:00:00Z');
const MINUTE_MS = 60_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let admin: Caller;
  let root: Caller;
  const folder = emptyFolder();
  let files = 0;

  beforeAll(async () => {
    deployment = await deploy(kind);
    admin = await caller(deployment, { roles: ['ADMIN'] });
    root = await caller(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    // Other tenants are sealed in the same batches.
    for (const minute of [0, 1, 2, 3, 4, 5]) await add({ minute }, { minute, tenantId: 'globex' });
  });
  afterAll(() => deployment?.close());

  async function add(...records: ({ minute: number } & Partial<NewAuditRecord>)[]) {
    const base = {
      tenantId: 'acme',
      event: 'test.happened',
      username: 'ann',
      clientAddress: '192.0.2.1',
      requestId: '',
    };
    const all = records.map(({ minute, ...more }) => ({
      ...base,
      id: newId(),
      at: FIRST_AT + minute * MINUTE_MS,
      ...more,
    }));
    await deployment.database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, all));
    await sealAll(deployment);
    return all.map(({ id }) => id);
  }
  const store = (text: string) => {
    const file = join(folder, `file-${(files += 1)}`);
    writeFileSync(file, text);
    return file;
  };
  const exported = async (query: string, as = admin) => {
    const response = await as.get(`/audit-records?${query}`, NDJSON);
    expect([query, response.status]).toEqual([query, 200]);
    return response.text;
  };
  const verify = (text: string, head?: string) =>
    runCli(['audit', 'verify', '--json', '--export', store(text), ...(head ? ['--head', store(head)] : [])], {
      env: operatorEnv(deployment.databaseUrl),
      cwd: folder,
    });
  const problemsOf = async (text: string, head?: string): Promise<string[]> => {
    const { code, out } = await verify(text, head);
    const { problems } = JSON.parse(out) as { problems: { kind: string }[] };
    expect(code).toBe(problems.length > 0 ? 1 : 0);
    return [...new Set(problems.map((problem) => problem.kind))].toSorted();
  };
  const headOf = async () => (await admin.get('/audit-records/head')).text;
  const PERIOD = 'from=2026-03-01T10:01:00Z&until=2026-03-01T10:04:00Z';
  const recordsOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, any>)
      .filter(({ id }) => id !== undefined);

  it('is the records of the filter, oldest first, as a file, and is recorded', async () => {
    const response = await admin.get(`/audit-records?${PERIOD}`, NDJSON);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit-records.ndjson"');
    const list = (await admin.get(`/audit-records?${PERIOD}`)).body;
    expect(list).toHaveLength(3);
    expect(recordsOf(response.text).map(({ place: _place, seal: _seal, ...record }) => record)).toEqual(
      list.toReversed(),
    );
    const [record] = (await admin.get('/audit-records?events=audit.exported&perPage=1')).body;
    expect(record).toMatchObject({
      tenantId: 'acme',
      causedBy: { id: admin.account.id, username: admin.account.username },
      details: {
        filter: 'from=2026-03-01T10%3A01%3A00.000Z&until=2026-03-01T10%3A04%3A00.000Z',
        format: 'ndjson',
        count: 3,
      },
    });
  });

  it('proves that no record is missing, for a tenant and a period alone', async () => {
    const head = await headOf();
    expect(JSON.parse((await verify(await exported(PERIOD), head)).out)).toMatchObject({
      records: 3,
      unsealed: 0,
      isComplete: true,
      isHeadCompared: true,
      isHeadSigned: true,
      problemCount: 0,
    });
    const all = await exported('until=2027-01-01', admin);
    expect(await problemsOf(all, head)).toEqual([]);
    expect(await problemsOf(await exported(`${PERIOD}&tenantId=globex`, root))).toEqual([]);
    const some = JSON.parse((await verify(await exported(`${PERIOD}&events=test.happened`))).out);
    expect(some).toMatchObject({ records: 3, isComplete: false, problemCount: 0 });
    expect(JSON.parse((await verify(await exported(PERIOD, root))).out)).toMatchObject({
      records: 6,
      isComplete: false,
    });
    expect(JSON.parse((await verify(await exported('account=nobody'))).out)).toMatchObject({
      records: 0,
      problemCount: 0,
    });
  });

  it('has records that wait for their seal, and says so', async () => {
    const at = deployment.clock.now();
    const base = { tenantId: 'acme', event: 'test.late', clientAddress: '', requestId: '' };
    await add({ minute: (at - FIRST_AT) / MINUTE_MS, event: 'test.late' });
    // The job of the service can be faster.
    await deployment.database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, [{ ...base, id: newId(), at }]));
    const { unsealed, problemCount } = JSON.parse((await verify(await exported('events=test.late'))).out);
    expect(problemCount).toBe(0);
    expect(unsealed).toBeLessThanOrEqual(1);
    await sealAll(deployment);
  });

  const lines = (text: string, change: (lines: string[]) => void) => {
    const all = text.split('\n');
    change(all);
    return all.join('\n');
  };
  const recordLine = (all: readonly string[], which = 0) => all.findIndex((line) => line.startsWith('{"id"')) + which;
  it.each<[string, (text: string) => string, string]>([
    ['a changed value', (text) => text.replace('"ann"', '"eve"'), 'changed'],
    ['a changed detail', (text) => text.replace('"details":{}', '"details":{"count":1}'), 'changed'],
    ['a record left out', (text) => lines(text, (all) => all.splice(recordLine(all, 1), 1)), 'removed'],
    [
      'a record twice',
      (text) => lines(text, (all) => all.splice(recordLine(all), 0, all[recordLine(all)]!)),
      'inserted',
    ],
    [
      'an inserted record',
      (text) =>
        lines(text, (all) =>
          all.splice(recordLine(all), 0, all[recordLine(all)]!.replace(/"id":"[^"]+"/, `"id":"${newId()}"`)),
        ),
      'changed',
    ],
    [
      'two records exchanged',
      (text) => lines(text, (all) => all.splice(recordLine(all), 2, all[recordLine(all, 1)]!, all[recordLine(all)]!)),
      'inserted',
    ],
    [
      'seals of two records exchanged',
      (text) => {
        const seals = [...text.matchAll(/"seal":"([^"]+)"/g)].map(([, seal]) => seal!);
        return text.replace(seals[0]!, '-').replace(seals[1]!, seals[0]!).replace('"-"', `"${seals[1]!}"`);
      },
      'changed',
    ],
    ['the end cut off', (text) => lines(text, (all) => all.splice(-2, 1)), 'cut'],
    [
      'a seal left out',
      (text) => lines(text, (all) => all.splice(all.findIndex((line) => line.startsWith('{"sealNumber"')) + 1, 1)),
      'seal-removed',
    ],
    ['a changed seal', (text) => text.replace(/"newestAt":\d/, '"newestAt":9'), 'seal-changed'],
    ['another period', (text) => text.replace(/"from":\d+/, '"from":0'), 'file'],
    ['another exporter', (text) => text.replace(/"exportedAt":"2/, '"exportedAt":"1'), 'file'],
    ['a line more', (text) => `${text}${text.split('\n')[1]!}\n`, 'file'],
    ['an empty line', (text) => text.replace('\n', '\n\n'), 'file'],
    ['other spaces', (text) => text.replace('{"id":', '{ "id":'), 'file'],
    ['a seal without its digest', (text) => text.replace(/"digest":"[^"]+",/, ''), 'file'],
    ['a record without its address', (text) => text.replace('"clientAddress":"192.0.2.1",', ''), 'file'],
    ['a record without its event', (text) => text.replace('"event":"test.happened",', ''), 'file'],
    ['other records that are not a list', (text) => text.replace(/"others":\[/, '"others":1,"o":['), 'file'],
    ['a header without its tenant', (text) => text.replace('"tenant":"acme",', ''), 'file'],
  ])('fails for %s', async (_, change, kind) => {
    const text = await exported(PERIOD);
    const changed = change(text);
    expect(changed).not.toBe(text);
    expect(await problemsOf(changed)).toContain(kind);
  });

  it('fails for a name of a cause that was changed', async () => {
    await admin.post('/users', {
      username: `${newId()}@acme.test`,
      password: 'A long enough password',
      name: 'A',
      roles: ['SALES'],
    });
    await sealAll(deployment);
    const text = await exported('events=account.created');
    expect(await problemsOf(text)).toEqual([]);
    expect(await problemsOf(text.replaceAll(admin.account.username, 'eve@acme.test'))).toEqual(['file']);
  });

  it('fails if the trail was changed before the export', async () => {
    const day = 'from=2026-04-01&until=2026-04-02';
    const minute = (Date.parse('2026-04-01T12:00:00Z') - FIRST_AT) / MINUTE_MS;
    const [first, second, third] = await add({ minute }, { minute: minute + 1 }, { minute: minute + 2 });
    expect(await problemsOf(await exported(day))).toEqual([]);
    const execute = (sql: string, id: string) => deployment.database.execute(sql, [idToBytes(id)]);
    await execute("UPDATE audit_records SET username = 'eve' WHERE id = ?", first!);
    expect(await problemsOf(await exported(day))).toContain('changed');
    await execute("UPDATE audit_records SET username = 'ann' WHERE id = ?", first!);
    expect(await problemsOf(await exported(day))).toEqual([]);
    // Moved to another day.
    await execute('UPDATE audit_records SET at = at + 864000000 WHERE id = ?', second!);
    expect(await problemsOf(await exported(day))).toContain('removed');
    await execute('UPDATE audit_records SET at = at - 864000000 WHERE id = ?', second!);
    await execute('DELETE FROM audit_records WHERE id = ?', third!);
    expect(await problemsOf(await exported(day))).toEqual(['removed']);
  });

  it('fails for a record without a seal that is older than an hour', async () => {
    const minute = (Date.parse('2026-04-03T12:00:00Z') - FIRST_AT) / MINUTE_MS;
    const [id] = await add({ minute, event: 'test.changed' });
    expect(await problemsOf(await exported('events=test.changed'))).toEqual([]);
    // Not 0, which the seals of an earlier release take.
    const change = "UPDATE audit_records SET username = 'eve', seal = NULL WHERE id = ?";
    await deployment.database.execute(change, [idToBytes(id!)]);
    expect(await problemsOf(await exported('events=test.changed'))).toEqual(['inserted']);
    await deployment.database.execute('DELETE FROM audit_records WHERE id = ?', [idToBytes(id!)]);
  });

  it('has the ends of lines of Unicode in a reason', async () => {
    await add({ minute: 61, event: 'test.lines', details: { reason: 'one\u2028two\u2029three\u0085four' } });
    expect(await problemsOf(await exported('events=test.lines'))).toEqual([]);
  });

  it('accepts records whose seal says that the retention has removed them meanwhile', async () => {
    const { database } = deployment;
    const minute = (Date.parse('2026-04-05T12:00:00Z') - FIRST_AT) / MINUTE_MS;
    await add({ minute });
    const seals = await selectSeals(database, 'acme', 0, 1_000);
    const last = seals.find(({ newestAt }) => newestAt === FIRST_AT + minute * MINUTE_MS)!;
    const key = await loadSealKey({
      database,
      clock: deployment.clock.now,
      encryption: createKeyEncryption(TEST_KEY_ENCRYPTION_KEY),
    });
    const removal = { removedAt: last.newestAt + 1_000, keptMs: 1_000 };
    await storeRemoval(database, last, { ...removal, mac: removalMacOf(key, last, removal) });
    expect(await problemsOf(await exported('from=2026-04-05&until=2026-04-06'))).toEqual([]);
  });

  it('fails beside a head that the trail does not have any more', async () => {
    const day = 'from=2026-05-01&until=2026-05-02';
    const minute = (Date.parse('2026-05-01T12:00:00Z') - FIRST_AT) / MINUTE_MS;
    await add({ minute });
    const [cut] = await add({ minute: minute + 1 });
    const head = await headOf();
    const { number } = JSON.parse(head) as { number: number };
    await deployment.database.execute('DELETE FROM audit_seals WHERE tenant_id = ? AND number = ?', [
      Buffer.from('acme'),
      number,
    ]);
    await deployment.database.execute('DELETE FROM audit_records WHERE id = ?', [idToBytes(cut!)]);
    expect(await problemsOf(await exported(day))).toEqual([]);
    // The record of this export can have got the number of the seal that was cut.
    const [kind, ...others] = await problemsOf(await exported(day), head);
    expect([['cut', 'seal-changed'].includes(kind!), others]).toEqual([true, []]);
  });

  it('is written by the command line', async () => {
    const file = join(folder, 'evidence');
    const args = ['audit', 'evidence', file, '--local', '--tenant', 'globex'];
    const period = ['--from', '2026-03-01T10:01:00Z', '--until', '2026-03-01T10:04:00Z'];
    const options = { env: operatorEnv(deployment.databaseUrl), cwd: folder };
    expect(await runCli([...args, ...period], options)).toMatchObject({ code: 0, error: '' });
    expect(recordsOf(readFileSync(file, 'utf8'))).toHaveLength(3);
    expect(await runCli(['audit', 'verify', '--export', file], options)).toMatchObject({
      code: 0,
      out: '3 records verified, 0 without a seal, none is missing, 0 problems\n',
    });
  });

  it('is CSV without formulas', async () => {
    await add({ minute: 60, event: 'test.csv', username: '=cmd|"/c calc"!A1', details: { reason: '-1' } });
    const { text, headers } = await admin.get('/audit-records?events=test.csv', { accept: 'text/csv' });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit-records.csv"');
    const [names, line, end] = text.split('\r\n');
    expect(names).toBe(
      'id,at,event,tenantId,accountId,username,actorId,actor,clientAddress,requestId,sessionId,details',
    );
    expect(line).toContain(`,"'=cmd|""/c calc""!A1",`);
    expect(line).toContain('"{""reason"":""-1""}"');
    // Spreadsheets of some languages take them for the others.
    await add({ minute: 62, event: 'test.wide', username: '＝1＋1' });
    expect((await admin.get('/audit-records?events=test.wide', { accept: 'text/csv' })).text).toContain(`,"'＝1＋1",`);
    expect(end).toBe('');
  });

  it('is JSON for callers who prefer it, and refused as the list is', async () => {
    const typeOf = async (accept: string) =>
      (await admin.get(`/audit-records?${PERIOD}`, { accept })).headers.get('content-type');
    expect(await typeOf('application/json, text/csv;q=0.5')).toMatch(/^application\/json/);
    expect(await typeOf('text/csv;q=0.5, */*;q=0.1')).toMatch(/^text\/csv/);
    expect(await typeOf('*/*')).toMatch(/^application\/json/);
    expect((await admin.get('/audit-records?tenantId=globex', NDJSON)).status).toBe(403);
    expect((await admin.get('/audit-records?address=x', NDJSON)).status).toBe(400);
    expect((await admin.get('/audit-records?page=1', NDJSON)).status).toBe(400);
    const clerk = await caller(deployment, { roles: ['SALES'] });
    expect((await clerk.get('/audit-records', NDJSON)).status).toBe(403);
  });
});
