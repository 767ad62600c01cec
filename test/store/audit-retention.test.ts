// The retention of audit records: the cleanup deletes the records of whole seals and reports their seals as its backlog.
import { afterEach, expect, it } from 'vitest';
import { ENGINES, type Engine } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { restClient } from '../support/rest-client.ts';
import { seedAccount } from '../support/accounts.ts';
import { sealAll } from '../support/seal-all.ts';

const DAY_MS = 24 * 3600_000;

const open: Deployment[] = [];
const start = async (engine: Engine, settings: Record<string, string> = {}) => {
  const deployment = await deploy({ engine, transport: 'local', settings });
  open.push(deployment);
  const { username } = await seedAccount(deployment.database);
  return {
    deployment,
    async logIn() {
      await restClient(deployment.url).open(username);
      await sealAll(deployment);
    },
  };
};
const backlogOf = async ({ core }: Deployment) =>
  (await core.cleanup.stats()).tables.find(({ table }) => table === 'audit_seals');
afterEach(() => Promise.all(open.splice(0).map((deployment) => deployment.close())));

it.each(ENGINES)(
  'counts the seals of records older than the default of 400 days as the backlog on %s',
  async (engine) => {
    const { deployment, logIn } = await start(engine);
    const { clock } = deployment;
    for (let i = 0; i < 3; i += 1) await logIn();
    clock.advance(DAY_MS);
    await logIn();
    clock.advance(399 * DAY_MS - 1);
    expect(await backlogOf(deployment)).toEqual({ table: 'audit_seals', backlog: 0, oldestMs: 0 });
    clock.advance(1_001);
    expect(await backlogOf(deployment)).toEqual({ table: 'audit_seals', backlog: 3, oldestMs: 1_000 });
  },
);

it('deletes after the configured time', async () => {
  const { deployment, logIn } = await start('sqlite', { 'app.audit.retention': '30d' });
  await logIn();
  deployment.clock.advance(30 * DAY_MS);
  expect(await backlogOf(deployment)).toMatchObject({ backlog: 1 });
});

it('keeps records forever with 0', async () => {
  const { deployment, logIn } = await start('sqlite', { 'app.audit.retention': '0' });
  await logIn();
  deployment.clock.advance(40_000 * DAY_MS);
  expect(await backlogOf(deployment)).toBeUndefined();
});
