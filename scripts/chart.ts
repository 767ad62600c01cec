// Packs the Helm chart of deploy/helm to build/chart, as `helm package` does, but without Helm and with the same bytes for the same
// commit. In a workflow of GitHub, the image of the chart is that of the repository. Prints the path.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chartFiles, withImage } from './release/chart.ts';
import { projectVersion } from './release/versions.ts';
import { run } from './sdk/commands.ts';

const PROJECT = join(import.meta.dirname, '..');
const SOURCE = join(PROJECT, 'deploy/helm/authservice');
const BUILD = join(PROJECT, 'build/chart');

const staged = join(BUILD, 'authservice');
rmSync(BUILD, { recursive: true, force: true });
for (const file of chartFiles(SOURCE)) {
  mkdirSync(dirname(join(staged, file)), { recursive: true });
  cpSync(join(SOURCE, file), join(staged, file));
}
cpSync(join(PROJECT, 'LICENSE'), join(staged, 'LICENSE'));
const repository = process.env['GITHUB_REPOSITORY'];
if (repository !== undefined) {
  const values = join(staged, 'values.yaml');
  writeFileSync(values, withImage(readFileSync(values, 'utf8'), `ghcr.io/${repository.toLowerCase()}`));
}

const archive = join(BUILD, `authservice-${projectVersion(PROJECT)}.tgz`);
const time = process.env['SOURCE_DATE_EPOCH'] ?? run('git', ['log', '-1', '--format=%ct']).trim();
const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', `--mtime=@${time}`];
run('tar', [
  '--sort=name',
  '--format=ustar',
  ...owner,
  '--use-compress-program=gzip -n',
  '-cf',
  archive,
  '-C',
  BUILD,
  'authservice',
]);
rmSync(staged, { recursive: true });
console.log(archive);
