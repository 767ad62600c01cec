// The unit of systemd, started and stopped by a real systemd: the first process of a namespace with the files of this machine below an
// overlay, a network and processes of its own. Nothing of the machine changes. Needs root.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requirePrograms } from '../languages/toolchain.ts';
import { PROJECT } from '../support/service-process.ts';

const UNITS = 'etc/systemd/system';
const PROPERTIES = 'ActiveState,SubState,Result,NRestarts,ExecMainStatus,StateDirectory';

/** Runs after the service, writes what it sees, stops the service, and ends the namespace. */
const CHECK_UNIT = `
[Unit]
Wants=authservice.service
After=authservice.service
[Service]
Type=oneshot
TimeoutStartSec=240
ExecStart=/bin/sh /opt/check.sh
ExecStopPost=/usr/bin/systemctl exit
`;

const CHECK_SCRIPT = `
cd /result
node=/opt/authservice/node_modules/.bin/node
tries=0
until $node /opt/authservice/deploy/healthcheck.js > health 2>&1 || [ $tries -ge 600 ]; do tries=$((tries + 1)); sleep 0.2; done
systemctl show authservice --property=${PROPERTIES} > running
pid=$(systemctl show authservice --property=MainPID --value)
grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' /proc/$pid/status > status
nsenter --target $pid --mount $node -e '
  const { accessSync, constants, readFileSync, statSync, writeFileSync } = require("node:fs");
  const code = (work) => { try { work(); return "done" } catch ({ code }) { return code } };
  const write = (path) => code(() => writeFileSync(path, ""));
  console.log([write("/opt/x"), write("/etc/x"), write("/usr/x"), write("/var/lib/authservice/x")].join());
' > files 2>&1
ls -ln /var/lib/private/authservice > state
systemctl stop authservice
systemctl show authservice --property=${PROPERTIES} > stopped
journalctl --unit=authservice --no-pager --output=cat > log
`;

let folder: string;
let root: string;
const result = (name: string): string => readFileSync(join(folder, 'result', name), 'utf8').trim();

beforeAll(() => {
  requirePrograms('systemd-nspawn', 'script');
  folder = mkdtempSync(join(tmpdir(), 'systemd-'));
  for (const name of ['changes', 'root', 'result']) mkdirSync(join(folder, name));
  root = join(folder, 'root');
  // A memory file system: an overlay cannot be the upper part of another one.
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(folder, 'changes')]);
  for (const name of ['upper', 'work']) mkdirSync(join(folder, 'changes', name));
  const layers = ['lowerdir=/', `upperdir=${folder}/changes/upper`, `workdir=${folder}/changes/work`];
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers.join(), root]);
  prepareRoot();
  boot();
}, 400_000);

afterAll(() => {
  for (const name of ['root', 'changes']) execFileSync('umount', [join(folder, name)]);
  rmSync(folder, { recursive: true, force: true });
});

/** Installs the unit and its settings as docs/containers.md says. */
function prepareRoot(): void {
  for (const name of [UNITS, 'etc/authservice', 'opt/authservice']) mkdirSync(join(root, name), { recursive: true });
  copyFileSync(join(PROJECT, 'deploy/systemd/authservice.service'), join(root, UNITS, 'authservice.service'));
  const settings = readFileSync(join(PROJECT, 'deploy/systemd/application.yaml'), 'utf8')
    .replace(/url: mysql:.+/, 'url: sqlite:/var/lib/authservice/service.db')
    .replace(': KEY', `: ${randomBytes(32).toString('base64')}`);
  writeFileSync(join(root, 'etc/authservice/application.yaml'), settings, { mode: 0o600 });
  writeFileSync(join(root, UNITS, 'check.service'), CHECK_UNIT);
  writeFileSync(join(root, 'opt/check.sh'), CHECK_SCRIPT);
  writeFileSync(join(root, 'etc/machine-id'), `${randomBytes(16).toString('hex')}\n`);
  // The namespace has no network that could come up.
  rmSync(join(root, UNITS, 'network-online.target'), { force: true });
  symlinkSync('/dev/null', join(root, UNITS, 'network-online.target'));
}

function boot(): void {
  const name = `authservice-${randomBytes(4).toString('hex')}`;
  const options = ['--register=no', '--keep-unit', '--private-network', '--quiet', '--boot', '--console=interactive'];
  const binds = [`--bind-ro=${PROJECT}:/opt/authservice`, `--bind=${join(folder, 'result')}:/result`];
  const command = [
    'systemd-nspawn',
    `--directory=${root}`,
    `--machine=${name}`,
    ...options,
    ...binds,
    '--',
    '--unit=check.service',
  ];
  // systemd writes its log to a terminal.
  const output = execFileSync('script', ['-qec', command.join(' '), '/dev/null'], {
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: 380_000,
  });
  writeFileSync(join(folder, 'console'), output);
}

it('starts the service, which becomes ready', () => {
  expect(result('health')).toBe('http://127.0.0.1:9090/health/ready: 200');
  expect(result('running')).toMatch(/ActiveState=active/);
  expect(result('running')).toMatch(/SubState=running/);
  expect(result('running')).toMatch(/NRestarts=0/);
});

it('runs the service as another user, without capabilities, behind a filter of system calls', () => {
  const status = Object.fromEntries(
    result('status')
      .split('\n')
      .map((line) => line.split(/:\s+/)),
  );
  expect(Number(status['Uid']!.split('\t')[0])).toBeGreaterThanOrEqual(61_184);
  expect(status).toMatchObject({ CapEff: '0000000000000000', NoNewPrivs: '1', Seccomp: '2' });
});

it('lets the service write to its own folder only', () => {
  expect(result('files')).toBe('EROFS,EROFS,EROFS,done');
  expect(result('state')).toContain('service.db');
});

it('stops the service in order', () => {
  expect(result('stopped')).toMatch(/ActiveState=inactive/);
  expect(result('stopped')).toMatch(/Result=success/);
  expect(result('stopped')).toMatch(/ExecMainStatus=0/);
  expect(result('log')).toContain('"msg":"stopped"');
});
