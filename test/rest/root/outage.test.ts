// An outage of the database: its start and its end are logged, and no stack.
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { createLogger } from '../../../src/platform/process/log.ts';
import { restClient } from '../../support/rest-client.ts';

let deployment: Deployment;
const lines: string[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'info', format: 'json', name: 'service', destination });
  deployment = await deploy({ engine: 'sqlite', transport: 'local', logger });
});
afterAll(() => deployment?.close());

it('is logged once, shown by the readiness, and over when the database answers', async () => {
  const rest = restClient(deployment.url);
  const account = await seedAccount(deployment.database);
  const ready = async () => (await rest.send('GET', '/health/ready')).status;
  expect(await ready()).toBe(200);

  const other = new DatabaseSync(deployment.databaseUrl.slice('sqlite:'.length));
  other.exec('BEGIN EXCLUSIVE');
  await expect.poll(() => deployment.core.problem()).toMatch(/^Database unavailable: /);
  const logins = Array.from({ length: 27 }, () => rest.login({ username: account.username, password: PASSWORD }));
  for (const { status } of await Promise.all(logins)) expect(status).toBe(503);
  await expect.poll(ready).toBe(503);
  other.exec('ROLLBACK');
  other.close();

  await expect.poll(() => deployment.core.problem()).toBeUndefined();
  const logged = lines.map((line) => JSON.parse(line) as { msg: string; reason?: string });
  const starts = logged.filter(({ msg }) => msg.includes('cannot be used'));
  expect(new Set(starts.map(({ reason }) => reason)).size).toBe(starts.length);
  expect(starts.length).toBeGreaterThan(0);
  expect(logged.filter(({ msg }) => msg.includes('can be used again'))).toHaveLength(1);
  expect(lines.join('')).not.toContain('"stack"');
});
