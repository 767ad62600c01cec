// `audit head`, `audit verify` and `audit export`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAuditRecords } from '../../src/auth/audit/trail/audit-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { operatorEnv, runCli, type CliOptions } from '../support/cli.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { emptyFolder } from '../support/service-process.ts';
import { sealAll } from '../support/seal-all.ts';

describe('audit trail', () => {
  let deployment: Deployment;
  const folder = emptyFolder();
  const run = (args: readonly string[], options: CliOptions = {}) =>
    runCli(args, { env: operatorEnv(deployment.databaseUrl), cwd: folder, ...options });
  const add = async (count: number, username = 'ann') => {
    const one = () => ({
      id: newId(),
      tenantId: 'acme',
      at: deployment.clock.now(),
      event: 'login.failed',
      username,
      clientAddress: '192.0.2.1',
      requestId: '',
    });
    await deployment.database.transaction(UNLIMITED, (tx) =>
      insertAuditRecords(tx, Array.from({ length: count }, one)),
    );
    await sealAll(deployment);
  };
  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport: 'local' });
  });
  afterAll(() => deployment?.close());

  it('is verified, also beside a head, and shows what was done to it', async () => {
    await add(3);
    const file = join(folder, 'head');
    const head = await run(['audit', 'head', '--local']);
    expect(head).toMatchObject({ code: 0, error: '' });
    writeFileSync(file, head.out);
    await add(1);
    const verified = await run(['audit', 'verify', '--head', file]);
    expect(verified).toEqual({
      code: 0,
      error: '',
      out: '4 records verified, 0 removed by retention or erasure, 0 anonymized, 0 problems\n',
    });
    // The response of GET /api/v1/audit-records/head.
    const json = await run(['audit', 'head', '--local', '--json']);
    writeFileSync(`${file}.json`, json.out);
    expect(await run(['audit', 'verify', '--head', `${file}.json`])).toMatchObject({ code: 0, error: '' });
    writeFileSync(`${file}-other.json`, '{"number":1}');
    expect(await run(['audit', 'verify', '--head', `${file}-other.json`])).toMatchObject({
      code: 1,
      error: 'the head is not the output of `audit head`\n',
    });
    const forged = head.out.replace(/\.[^.]+$/, `.${'A'.repeat(86)}`);
    writeFileSync(`${file}-forged`, forged);
    expect(await run(['audit', 'verify', '--head', `${file}-forged`])).toMatchObject({
      code: 1,
      error: expect.stringContaining('was not signed by this service'),
    });

    await deployment.database.execute("UPDATE audit_records SET event = 'x' WHERE sequence = 2");
    const changed = await run(['audit', 'verify']);
    expect(changed.code).toBe(1);
    expect(changed.out).toMatch(/^changed: record [0-9a-f-]{36} at place 2 of tenant acme was changed\n/);
    await deployment.database.execute('DELETE FROM audit_records');
    await deployment.database.execute('DELETE FROM audit_seals');
    expect((await run(['audit', 'verify'])).code).toBe(0);
    const cut = await run(['audit', 'verify', '--head', file, '--json']);
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.out)).toMatchObject({ problemCount: 1, problems: [{ kind: 'cut', seal: 1 }] });
  });

  it('is exported, and the export continues after an interruption', async () => {
    await deployment.database.execute('DELETE FROM audit_records');
    await add(250, 'ann "the first"\n=1');
    const file = join(folder, 'export.csv');
    const args = ['audit', 'export', file, '--format', 'csv', '--to', '9999-01-01T00:00:00Z', '--local'];
    const ctrlC = new AbortController();
    ctrlC.abort();
    expect((await run(args, { signal: ctrlC.signal })).code).toBe(130);
    expect(existsSync(`${file}.resume`)).toBe(true);
    // A page that was cut off is written again.
    writeFileSync(file, 'half a line', { flag: 'a' });
    expect((await run([...args, '--event', 'x'])).code).toBe(1);
    expect(await run(args)).toEqual({ code: 0, error: '', out: `250 records written to ${file}\n` });
    const [header, ...lines] = readFileSync(file, 'utf8').split('\r\n');
    expect(header).toMatch(/^id,at,event,tenantId,/);
    expect(lines.pop()).toBe('');
    expect(new Set(lines).size).toBe(250);
    expect(lines[0]).toContain('"ann ""the first""\n=1"');
    expect(existsSync(`${file}.resume`)).toBe(false);
    expect((await run(args)).error).toContain('exists already');
    const all = join(folder, 'export.jsonl');
    expect(await run(['audit', 'export', all, '--local'])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(all, 'utf8').split('\n')[0]!)).toMatchObject({ event: 'login.failed' });
  });
});
