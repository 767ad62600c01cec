// The documents as a site: `npm run site`. With --serve, it shows the working tree and follows changes. With --versions, it also builds
// the last release of each minor version below /vX.Y/, from the tags of the repository. docs/releasing.md explains the variables.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { versionsOf } from '../site/versions.ts';
import { buildSite, installSite, serveSite, SITE_OUTPUT } from './site/build.ts';

const PROJECT = join(import.meta.dirname, '..');

installSite(PROJECT);
if (process.argv.includes('--serve')) serveSite(PROJECT);
else if (process.argv.includes('--versions')) buildVersions();
else buildSite(PROJECT);

/** Builds the newest release at the root, then all releases below. Without a release, it builds the working tree. */
function buildVersions(): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
  const versions = versionsOf(git('tag', '--list', 'v*').split('\n'));
  const names = versions.map(({ name }) => name).join(',');
  if (versions.length === 0) return buildSite(PROJECT);
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  const output = join(PROJECT, SITE_OUTPUT);
  try {
    for (const [index, { name, tag }] of versions.entries()) {
      const tree = join(folder, name);
      git('worktree', 'add', '--detach', tree, tag);
      installSite(tree);
      const variables = { SITE_VERSIONS: names, SITE_REF: tag };
      if (index === 0) {
        buildSite(tree, variables);
        rmSync(output, { recursive: true, force: true });
        cpSync(join(tree, SITE_OUTPUT), output, { recursive: true });
      }
      buildSite(tree, { ...variables, SITE_FOLDER: `v${name}/` });
      cpSync(join(tree, SITE_OUTPUT), join(output, `v${name}`), { recursive: true });
    }
  } finally {
    for (const { name } of versions) git('worktree', 'remove', '--force', join(folder, name));
    rmSync(folder, { recursive: true, force: true });
  }
}
