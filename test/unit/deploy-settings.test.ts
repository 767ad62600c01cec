// The settings of deploy/ and of the README: their files load, and production hides the reasons of refusals.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadSettings } from '../../src/platform/config/load.ts';
import { PROJECT } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');

it('the systemd unit sets no setting, because that would override application.yaml', () => {
  const unit = read('deploy/systemd/authservice.service');
  expect(unit).not.toMatch(/^(?:Environment|EnvironmentFile|PassEnvironment)=.*APP_/m);
  expect(unit).toMatch(/^ExecStart=.* --config=%d\/application\.yaml$/m);
});

it('the settings for systemd are valid in PROD', () => {
  const cwd = temporaryFolder('systemd-');
  const file = join(cwd, 'application.yaml');
  const key = randomBytes(32).toString('base64');
  writeFileSync(file, read('deploy/systemd/application.yaml').replace(': KEY', `: ${key}`), { mode: 0o600 });
  const { settings, warnings } = loadSettings({ argv: [`--config=${file}`], env: {}, cwd, role: 'all' });
  expect(settings).toMatchObject({ 'app.env': 'PROD', 'app.api.error-disclosure.mode': 'minimal' });
  expect(warnings.filter((warning) => /disclosure/.test(warning))).toEqual([]);
});

it.each([
  ['README.md', 'APP_API_ERROR_DISCLOSURE_MODE=minimal'],
  ['docs/deployment.md', 'APP_API_ERROR_DISCLOSURE_MODE=minimal'],
  ['deploy/compose.yaml', 'APP_API_ERROR_DISCLOSURE_MODE: minimal'],
  ['deploy/kubernetes/core.env', 'APP_API_ERROR_DISCLOSURE_MODE=minimal'],
  ['deploy/kubernetes/gateway.env', 'APP_API_ERROR_DISCLOSURE_MODE=minimal'],
])('%s sets minimal disclosure for production', (path, setting) => {
  expect(read(path)).toContain(setting);
});
