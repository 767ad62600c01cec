// The quick start of the documents: its block of commands, in a clone as a reader has it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shellBlocks } from '../../scripts/shell-blocks.ts';
import { run, runShell } from '../languages/commands.ts';
import { emptyFolder, endProcesses, FREE_PORTS, PROJECT, startCommand } from '../support/service-process.ts';

const PAGES = ['site/index.md', 'README.md', 'docs/getting-started.md'];
/** The mark of the block says this. */
const OF_THIS_TEST = /test\/packages\/quick-start\.test\.ts/;

let clone: string;

beforeAll(async () => {
  clone = emptyFolder();
  await run('git', ['clone', '-q', '--depth', '1', `file://${PROJECT}`, clone]);
});
afterAll(endProcesses);

/** The commands that install and start the service, and what the page runs after them to log in. */
function quickStart(page: string): { readonly start: string; readonly next: string | undefined } {
  const blocks = shellBlocks(`${PROJECT}/${page}`);
  const index = blocks.findIndex(({ mark }) => mark.kind === 'not-run' && OF_THIS_TEST.test(mark.reason));
  return { start: blocks[index]!.commands, next: blocks[index + 1]?.commands };
}

it('is the same on all pages', () => {
  const starts = new Set(PAGES.map((page) => quickStart(page).start.trim()));
  expect([...starts]).toEqual(['npm ci && npm run dev']);
});

it(
  'installs the packages, starts the service, and logs in by the command of the front page',
  { timeout: 480_000 },
  async () => {
    const { start, next } = quickStart('site/index.md');
    const [install, dev] = start.trim().split(' && ') as [string, string];
    await runShell(install, { cwd: clone });
    // Only its ports differ: others can be in use.
    const service = startCommand(['bash', '-c', `${dev} -- "$@"`, 'bash'], { cwd: clone, settings: FREE_PORTS });
    const { http } = await service.ready();
    const output = await runShell(next!.replace('localhost:8080', new URL(http).host));
    expect(JSON.parse(output)).toMatchObject({
      accessToken: expect.any(String),
      user: { id: expect.any(String), username: 'alice@acme.test' },
    });
  },
);
