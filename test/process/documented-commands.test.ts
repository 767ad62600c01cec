// The commands of the documents, page by page and from top to bottom, as a reader enters them: in one shell, with a service in DEV.
// The service has free ports, and the setting that docs/machine-clients.md asks for.
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGE_TESTS } from '../../scripts/doc-blocks-tests.ts';
import { shellBlocks } from '../../scripts/shell-blocks.ts';
import { runShell } from '../languages/commands.ts';
import {
  type Addresses,
  emptyFolder,
  endProcesses,
  FREE_PORTS,
  PROJECT,
  startProgram,
} from '../support/service-process.ts';

const PAGES = Object.keys(PAGE_TESTS).filter((page) => PAGE_TESTS[page] === 'test/process/documented-commands.test.ts');

/** Members of statistics that are empty until a job has counted. */
const COUNTED_LATER = ['reason', 'count', 'countedAt'];
/** The status of a response that no document shows as a success. */
const REFUSAL = /"status":\s?(?:401|404|5\d\d)/;

let addresses: Addresses;

beforeAll(async () => {
  const cwd = emptyFolder();
  const settings = {
    ...FREE_PORTS,
    'app.env': 'DEV',
    'app.public-url': 'none',
    'app.database.url': `sqlite:${join(cwd, 'service.db')}`,
    'app.files.store': `disk:${join(cwd, 'files')}`,
    'app.security.api-key.enabled': 'true',
  };
  addresses = await startProgram('gateway', { settings, cwd }).ready();
});
afterAll(endProcesses);

describe.each(PAGES)('%s', (page) => {
  const blocks = shellBlocks(join(PROJECT, page)).filter(({ mark }) => mark.kind === 'run');

  it('has commands that work as documented', async () => {
    const script = blocks.map(({ commands }, index) => `printf '\\n# block %s\\n' ${index}\n${commands}`).join('\n');
    const output = await runShell(withAddresses(script), { cwd: readersFolder(), env: await readersVariables() });
    const [, ...outputs] = output.split(/^# block \d+$/m);
    expect(outputs).toHaveLength(blocks.length);
    for (const [index, { line, output: documented = '' }] of blocks.entries()) {
      const where = `${page}:${line} shows members that the output lacks, or has elsewhere:\n${outputs[index]}`;
      const actual = membersOf(outputs[index]!);
      expect(
        misplacedMembers(membersOf(documented), actual).filter((member) => !COUNTED_LATER.includes(member)),
        where,
      ).toEqual([]);
      if (!REFUSAL.test(documented)) expect(outputs[index], `${page}:${line}`).not.toMatch(REFUSAL);
    }
  });
});

/** Returns the members that `actual` does not have, or has only before members that they follow. */
function misplacedMembers(documented: readonly string[], actual: readonly string[]): string[] {
  let start = 0;
  return documented.filter((member) => {
    const place = actual.indexOf(member, start);
    if (place >= 0) start = place + 1;
    return place < 0;
  });
}

async function login(username: string, password = 'demo-password-1'): Promise<string> {
  const response = await fetch(`${addresses.http}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return ((await response.json()) as { accessToken: string }).accessToken;
}

/** The variables that a page takes from another one. Each page has sessions of its own, because some end all others. */
async function readersVariables(): Promise<Record<string, string>> {
  return {
    PATH: [join(PROJECT, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    API: `${addresses.http}/api/v1`,
    TOKEN: await login('alice@acme.test'),
    ROOT: await login('root'),
  };
}

/** A folder with what the commands use of the project, so that their files do not come into the project. */
function readersFolder(): string {
  const folder = emptyFolder();
  for (const name of [
    'cli',
    'gateway',
    'migrations',
    'node_modules',
    'package.json',
    'proto',
    'scripts',
    'src',
    'web',
  ]) {
    symlinkSync(join(PROJECT, name), join(folder, name));
  }
  mkdirSync(join(folder, 'data'));
  return folder;
}

/** Replaces the default addresses by those of this service. */
function withAddresses(script: string): string {
  const port = (address: string) => address.split(':').at(-1)!;
  return script
    .replaceAll('localhost:8080', `127.0.0.1:${port(addresses.http)}`)
    .replaceAll('localhost:9090', `127.0.0.1:${port(addresses.management)}`)
    .replaceAll('127.0.0.1:50051', `127.0.0.1:${port(addresses.rpc)}`);
}

/** The names of all members in a text of JSON, which can be shortened by `…`. */
function membersOf(text: string): string[] {
  return [...new Set([...text.matchAll(/"(\w+)":/g)].map(([, name]) => name!))];
}
