// Makes the fixture of the upgrade test, once for each release: `node scripts/upgrade-fixture.ts v0.1.0`. Runs the code of the tag.
// A second argument names another commit for a version that has no tag yet.
import { execFileSync } from 'node:child_process';
import { unpackRelease } from '../test/support/previous-release.ts';
import { emptyFolder, PROJECT } from '../test/support/service-process.ts';
import { makeFixture } from '../test/support/upgrade-fixture.ts';

const [tag, revision = tag] = process.argv.slice(2);
if (tag === undefined || !/^v\d+\.\d+\.\d+$/.test(tag)) {
  console.error('Usage: node scripts/upgrade-fixture.ts vX.Y.Z [COMMIT]');
  process.exit(2);
}
const commit = execFileSync('git', ['rev-parse', `${revision}^{commit}`], { cwd: PROJECT, encoding: 'utf8' }).trim();
const { folder } = unpackRelease(commit);
await makeFixture(tag.slice(1), commit, folder, emptyFolder());
console.log(`test/fixtures/releases/${tag.slice(1)}`);
