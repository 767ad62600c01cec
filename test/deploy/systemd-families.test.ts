// The service with the address families that the systemd unit allows, and without one of them. A filter of system calls
// stands in for systemd's RestrictAddressFamilies.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { start } from '../languages/commands.ts';
import { requirePrograms } from '../languages/toolchain.ts';
import { emptyFolder, endProcesses, PROJECT, SHOP_SETTINGS } from '../support/service-process.ts';

const FILTER = join(PROJECT, 'test/deploy/restrict-families.py');
const UNIT = readFileSync(join(PROJECT, 'deploy/systemd/authservice.service'), 'utf8');
const [, FAMILIES] = /^RestrictAddressFamilies=(.+)$/m.exec(UNIT)!;

beforeAll(() => requirePrograms('python3'));
afterAll(endProcesses);

/** Starts the service on all addresses, stops it when it is ready, and returns its exit code and its output. */
async function serveWith(families: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const settings = { ...SHOP_SETTINGS, 'app.http.host': '0.0.0.0', 'app.database.url': 'sqlite:service.db' };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const command = [process.execPath, join(PROJECT, 'gateway/main.ts'), ...flags];
  const child = start('python3', [FILTER, families, ...command], { cwd: emptyFolder() });
  let output = '';
  const read = (text: string) => {
    output += text;
    if (/"msg":"ready"/.test(output)) child.kill('SIGTERM');
  };
  child.stdout!.setEncoding('utf8').on('data', read);
  child.stderr!.setEncoding('utf8').on('data', read);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

it('the service listens on all addresses with the address families of the unit', async () => {
  const { code, output } = await serveWith(FAMILIES!);
  expect(output).toContain('"msg":"ready"');
  expect(code).toBe(0);
});

it('the service fails without one of the families, so the check above can fail', async () => {
  const { code, output } = await serveWith(FAMILIES!.replace('AF_NETLINK', ''));
  expect(output).toContain('uv_interface_addresses');
  expect(code).not.toBe(0);
});
