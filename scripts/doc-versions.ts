// Fails if a file repeats the version of package.json differently.
import { join } from 'node:path';
import { versionProblems } from './release/versions.ts';

const problems = versionProblems(join(import.meta.dirname, '..'));
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
