// The commands of docs/second-factors.md, from top to bottom. Oathtool is the authenticator app.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireTool } from '../../scripts/test-tools.ts';
import { runShell } from '../languages/commands.ts';
import { emptyFolder, endProcesses, FREE_PORTS, PROJECT, startProgram } from '../support/service-process.ts';

const BLOCK = /<!-- run (\S+) -->\n```sh\n(.*?)```\n/gs;
const PAGE = readFileSync(join(PROJECT, 'docs/second-factors.md'), 'utf8');

beforeAll(() => requireTool('oathtool'));
afterAll(endProcesses);

it('the commands of the page set up a TOTP, and log in with its codes and with a recovery code', async () => {
  const cwd = emptyFolder();
  const settings = { ...FREE_PORTS, 'app.env': 'DEV', 'app.database.url': `sqlite:${join(cwd, 'service.db')}` };
  const { http } = await startProgram('gateway', { settings, cwd }).ready();
  const blocks = [...PAGE.matchAll(BLOCK)].map(([, name, script]) => `echo; echo '# ${name}'\n${script}`);
  const output = await runShell(blocks.join('').replaceAll('http://localhost:8080', http), { cwd });
  const [, ...sections] = output.split(/^# /m);
  const responses = Object.fromEntries(sections.map((section) => [/^\S+/.exec(section)![0], section]));
  const bodyOf = (name: string) => JSON.parse(responses[name]!.split('\n').slice(1).join('\n'));
  expect(bodyOf('confirm').recoveryCodes).toHaveLength(10);
  expect(bodyOf('log-in')).toMatchObject({
    status: 401,
    errorCode: 'second-factor-required',
    methods: ['totp', 'recovery-code'],
  });
  for (const name of ['answer', 'recovery-code']) expect(bodyOf(name).user.username).toBe('sam@acme.test');
});
