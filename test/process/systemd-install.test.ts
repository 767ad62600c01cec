// deploy/systemd/install.sh, with npm and systemctl of its own: the switch to a new version and the way back.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { PROJECT } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The node of the installed version only says whether it is ready, and runs for the health check only.
const NPM = (isReady: boolean) => `#!/bin/sh
test "$*" = 'ci --omit=dev --no-audit --no-fund' || exit 2
mkdir -p node_modules/.bin
printf '#!/bin/sh\\necho "$*" > "$CALL_FILE"\\nexit ${isReady ? 0 : 1}\\n' > node_modules/.bin/node
chmod 755 node_modules/.bin/node`;

describe('install.sh', () => {
  let folder: string;
  let source: string;
  let target: string;
  beforeEach(() => {
    folder = temporaryFolder('install-');
    [source, target] = [join(folder, 'source'), join(folder, 'opt')];
    mkdirSync(join(folder, 'bin'));
    cpSync(join(PROJECT, 'deploy'), join(source, 'deploy'), { recursive: true });
    program('systemctl', `#!/bin/sh\necho "$* $(readlink ${target})" >> ${join(folder, 'restarts')}`);
  });

  function program(name: string, text: string): void {
    const file = join(folder, 'bin', name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }

  function install(version: string, npm: string) {
    program('npm', npm);
    writeFileSync(join(source, 'package.json'), `{\n  "version": "${version}",\n}\n`);
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      READY_SECONDS: '1',
      CALL_FILE: join(folder, 'call'),
    };
    return new Promise<{ readonly code: unknown; readonly out: string; readonly error: string }>((resolve) => {
      const command = `umask 077 && ${join(source, 'deploy/systemd/install.sh')} ${target}`;
      execFile('sh', ['-c', command], { env }, (failure, out, error) =>
        resolve({ code: failure?.code ?? 0, out, error }),
      );
    });
  }

  const installed = () => readFileSync(join(target, 'package.json'), 'utf8');
  const restarts = () => readFileSync(join(folder, 'restarts'), 'utf8').trim().split('\n');

  it('installs the first version, and replaces it by the next', async () => {
    expect(await install('1.0.0', NPM(true))).toMatchObject({ code: 0, out: expect.stringContaining('is ready') });
    expect(lstatSync(target).isSymbolicLink()).toBe(true);
    expect(installed()).toContain('1.0.0');
    expect(await install('1.1.0', NPM(true))).toMatchObject({ code: 0, out: expect.stringContaining('opt-1.0.0-') });
    expect(installed()).toContain('1.1.0');
    expect(restarts()).toEqual([
      expect.stringMatching(/^restart authservice .*opt-1\.0\.0-\d+$/),
      expect.stringMatching(/^restart authservice .*opt-1\.1\.0-\d+$/),
    ]);
  });

  it('asks the management port of the settings whether the new version is ready', async () => {
    await install('1.0.0', NPM(true));
    expect(readFileSync(join(folder, 'call'), 'utf8')).toBe(
      `${target}/cli/main.ts healthcheck --config=/etc/authservice/application.yaml\n`,
    );
  });

  it('lets the user of the service read the version, also with a strict umask and private source files', async () => {
    mkdirSync(join(source, 'src'), { mode: 0o700 });
    writeFileSync(join(source, 'src/main.ts'), '', { mode: 0o600 });
    await install('1.0.0', NPM(true));
    const mode = (path: string) => (statSync(join(target, path)).mode & 0o777).toString(8);
    expect(['.', 'src', 'node_modules', 'src/main.ts'].map(mode)).toEqual(['755', '755', '755', '644']);
  });

  it('copies no data, settings or secrets', async () => {
    const secrets = ['data/service.db', 'secrets/key', 'deploy/secrets/ca.key', 'accounts.yaml', 'application.yaml'];
    for (const path of secrets) {
      mkdirSync(dirname(join(source, path)), { recursive: true });
      writeFileSync(join(source, path), 'secret');
    }
    await install('1.0.0', NPM(true));
    expect(secrets.filter((path) => existsSync(join(target, path)))).toEqual([]);
    expect(existsSync(join(target, 'deploy/systemd/application.yaml'))).toBe(true);
  });

  it('starts the previous version again if the next one does not become ready', async () => {
    await install('1.0.0', NPM(true));
    const failed = await install('1.1.0', NPM(false));
    expect(failed).toMatchObject({ code: 1, error: expect.stringContaining('is not ready after 1 s') });
    expect(installed()).toContain('1.0.0');
    expect(restarts().at(-1)).toMatch(/opt-1\.0\.0-\d+$/);
  });

  it('changes nothing and leaves nothing behind if the packages cannot be installed', async () => {
    await install('1.0.0', NPM(true));
    const before = restarts();
    expect((await install('1.1.0', '#!/bin/sh\nexit 9')).code).toBe(9);
    expect(installed()).toContain('1.0.0');
    expect(restarts()).toEqual(before);
    expect(readdirSync(folder).filter((name) => name.includes('1.1.0'))).toEqual([]);
  });

  it('refuses a folder in place of the link, and says how to make one', async () => {
    mkdirSync(target);
    const refused = await install('1.0.0', NPM(true));
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining(`ln -s ${target}-old ${target}`) });
    expect(existsSync(join(folder, 'restarts'))).toBe(false);
  });
});
