// The packages for callers of the core, packed, installed in empty folders, and used.
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGE_TESTS } from '../../scripts/doc-blocks-tests.ts';
import { shellBlocks } from '../../scripts/shell-blocks.ts';
import { startBusyCore, startIssuingCore } from '../languages/busy-core.ts';
import { run, runShell } from '../languages/commands.ts';
import { startCore, type Core } from '../languages/cores.ts';
import { createProducts } from '../languages/sign-in.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';
import { forgetPackedArtifacts, install, LANGUAGES, pack, type Consumer, type Language } from './packages.ts';

const PRODUCTS = 120;
const TOUR = `account: acme-sync
products: ${PRODUCTS}
download: notes.bin 300000
empty upload: VALIDATION_ERROR size
deleted file: NOT_FOUND
deadline: DEADLINE_EXCEEDED
`;
const PACKAGES = { typescript: 'npm', python: 'python', go: 'go', java: 'maven' } as const;
const ANY = { CORE_CLIENT_ID: 'any', CORE_CLIENT_SECRET: 'any' };

/** The address and the secret of the service of `npm run dev`, in the programs of the guides. */
const DEV = { address: 'dns:///127.0.0.1:50051', secret: 'demo-secret-acme-sync-0123456789abcdef' };

/** Creates a folder beside a clone, with the first program of a guide. */
function firstProject(language: Language): string {
  const parent = emptyFolder();
  const cwd = join(parent, 'shop');
  mkdirSync(cwd);
  symlinkSync(PROJECT, join(parent, 'authservice'));
  cpSync(join(PROJECT, 'test/sdk/consumers', language, 'first'), cwd, { recursive: true });
  const [program] = globSync('**/{main,Main}.*', { cwd }) as [string];
  const text = readFileSync(join(cwd, program), 'utf8');
  expect([text.includes(DEV.address), text.includes(DEV.secret)]).toEqual([true, true]);
  const { CORE_ADDRESS: address, CORE_CLIENT_SECRET: secret } = core.env;
  writeFileSync(join(cwd, program), text.replace(DEV.address, address!).replace(DEV.secret, secret!));
  return cwd;
}

let core: Core;
beforeAll(async () => {
  core = await startCore();
  await createProducts(core, PRODUCTS);
});
afterAll(endProcesses);

describe.each<Language>(LANGUAGES)('%s', (language) => {
  let consumer: Consumer;

  beforeAll(async () => {
    await pack(PACKAGES[language]);
    consumer = await install(language);
  });

  function call(command: string, env: Record<string, string>): Promise<string> {
    const [program, ...args] = consumer.command;
    return run(program, [...args, command], { cwd: consumer.cwd, env });
  }
  const callers = (count: number, seconds: number) => ({ CORE_CALLERS: String(count), CORE_SECONDS: String(seconds) });

  it('runs the first program of the guide, by its commands', async () => {
    const page = `sdk/${language}/README.md`;
    expect(PAGE_TESTS[page]).toBe('test/sdk/sdk.test.ts');
    const cwd = firstProject(language);
    if (language === 'java') await forgetPackedArtifacts();
    let output = '';
    for (const { mark, commands } of shellBlocks(join(PROJECT, page)))
      if (mark.kind === 'run') output = await runShell(commands, { cwd });
    // Maven ends with an escape sequence that resets the colours.
    expect(stripVTControlCharacters(output)).toBe('account: acme-sync\n');
  });

  it('reads pages, uploads, downloads, and reads reasons and deadlines', async () => {
    expect(await call('tour', core.env)).toBe(TOUR);
  });

  it('gets one token for all callers', async () => {
    const issuing = await startIssuingCore(300, []);
    const output = await call('machine', { CORE_ADDRESS: issuing.address, ...ANY, ...callers(16, 0) });
    issuing.close();
    expect(output).toBe('calls: 16\nfailures: 0\n');
    expect(issuing.requests()).toBe(1);
  });

  it('renews a token before it expires, once for all callers, and again after a failed renewal', async () => {
    // Renewed after 3 s of 4: the first renewal fails, the second one succeeds.
    const issuing = await startIssuingCore(4, [2]);
    const output = await call('machine', { CORE_ADDRESS: issuing.address, ...ANY, ...callers(16, 5) });
    issuing.close();
    expect(output).toContain('\nfailures: 0\n');
    expect([issuing.requests(), issuing.parallel(), issuing.late(), issuing.newest()]).toEqual([3, 1, 0, 3]);
  });

  it('repeats a call that changes nothing, after the wait that the core asks for', async () => {
    const busy = await startBusyCore(['400']);
    const output = await call('machine', { CORE_ADDRESS: busy.address, ...ANY, ...callers(1, 0) });
    busy.close();
    expect(output).toBe('calls: 1\nfailures: 0\n');
    expect(busy.arrivals[1]! - busy.arrivals[0]!).toBeGreaterThan(390);
  });

  it('waits as long as the core asks for after too many token requests', async () => {
    const limited = await startCore({
      'app.security.m2m.rate-limit.store': 'memory',
      'app.security.m2m.rate-limit.points': '1',
      'app.security.m2m.rate-limit.window': '2s',
    });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect(await call('machine', { ...limited.env, ...callers(1, 0) })).toBe('calls: 1\nfailures: 0\n');
    }
  });
});
