// The retention of audit records: the cleanup deletes older ones and reports them as its backlog.
import { afterEach, describe, expect, it } from 'vitest';
import { auditCleanupTargets } from '../../src/auth/audit/audit-store.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { restClient } from '../support/rest-client.ts';
import { seedAccount } from '../support/accounts.ts';

const DAY_MS = 24 * 3600_000;

describe.each(ENGINES)('%s', (engine) => {
  const open: Deployment[] = [];
  const start = async (settings: Record<string, string> = {}) => {
    const deployment = await deploy({ engine, transport: 'local', settings });
    open.push(deployment);
    const { username } = await seedAccount(deployment.database);
    return { deployment, logIn: () => restClient(deployment.url).open(username) };
  };
  const times = async ({ database }: Deployment) =>
    (await database.query<{ at: number }>('SELECT at FROM audit_records ORDER BY at')).map(({ at }) => at);
  const backlogOf = async ({ core }: Deployment) =>
    (await core.cleanup.stats()).tables.find(({ table }) => table === 'audit_records');
  afterEach(() => Promise.all(open.splice(0).map((deployment) => deployment.close())));

  it('counts records older than the default of 400 days as the backlog and deletes them, in batches', async () => {
    const { deployment, logIn } = await start();
    const { clock, database } = deployment;
    for (let i = 0; i < 5; i += 1) await logIn();
    clock.advance(DAY_MS);
    await logIn();
    clock.advance(399 * DAY_MS - 1);
    expect(await backlogOf(deployment)).toEqual({ table: 'audit_records', backlog: 0, oldestMs: 0 });
    clock.advance(1_001);
    expect(await backlogOf(deployment)).toEqual({ table: 'audit_records', backlog: 5, oldestMs: 1_000 });

    const targets = auditCleanupTargets(400 * DAY_MS);
    const job = { database, clock: clock.now, targets, batchSize: 2, pauseMs: 0 };
    expect(await cleanup(job)).toBe(5);
    expect(await times(deployment)).toEqual([clock.now() - 399 * DAY_MS - 1_000]);
    expect(await cleanup(job)).toBe(0);
  });

  it('deletes after the configured time', async () => {
    const { deployment, logIn } = await start({ 'app.audit.retention': '30d' });
    await logIn();
    deployment.clock.advance(30 * DAY_MS);
    expect(await backlogOf(deployment)).toMatchObject({ backlog: 1 });
  });

  it('keeps records forever with 0', async () => {
    const { deployment, logIn } = await start({ 'app.audit.retention': '0' });
    await logIn();
    deployment.clock.advance(40_000 * DAY_MS);
    expect(await backlogOf(deployment)).toBeUndefined();
    expect(await times(deployment)).toHaveLength(1);
  });
});
