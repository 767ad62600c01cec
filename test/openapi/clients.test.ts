// Generated clients in four languages: each compiles, logs in, creates a record, lists and pages.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../languages/commands.ts';
import { emptyFolder, endProcesses } from '../support/service-process.ts';
import { ADMINISTRATOR, startDemoService } from './demo-service.ts';
import { compileClient, generateClients, LANGUAGES } from './generate-clients.ts';

let url: string;
let folder: string;

beforeAll(async () => {
  url = await startDemoService('A');
  folder = emptyFolder();
  const document = join(folder, 'openapi.json');
  writeFileSync(document, await (await fetch(`${url}/openapi.json`)).text());
  await generateClients(document, folder);
});
afterAll(endProcesses);

/** The newest customers as the service itself lists them. */
async function listCustomers(perPage: number): Promise<{ readonly ids: string[]; readonly total: string | null }> {
  const body = JSON.stringify(ADMINISTRATOR);
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { accessToken } = (await login.json()) as { readonly accessToken: string };
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${url}/api/v1/customers?perPage=${perPage}`, { headers });
  const customers = (await response.json()) as readonly { readonly id: string }[];
  return { ids: customers.map(({ id }) => id), total: response.headers.get('x-total-count') };
}

it.each(LANGUAGES)('%s: logs in, creates a customer, and reads two pages of two', async (language) => {
  const before = await listCustomers(1);
  const [command, ...args] = await compileClient(language, folder);
  const output = await run(command, [...args, url, ADMINISTRATOR.username, ADMINISTRATOR.password]);
  const { ids, total } = await listCustomers(4);
  expect(Number(total)).toBe(Number(before.total) + 1);
  expect(output.trim().split('\n')).toEqual([`created ${ids[0]}`, `total ${total}`, `listed ${ids.join(' ')}`]);
});
