import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../debian-archive.ts';
import type { Source } from '../image/config.ts';

/** The version, the commit and the time of the content. SOURCE_DATE_EPOCH, in seconds, replaces the time of the commit. */
export function describeSource(project: string): Source {
  const git = (...args: readonly string[]) => runProgram('git', args, project).trimEnd();
  const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };
  // A build can contain files that are not tracked, such as a migration.
  const isChanged = git('status', '--porcelain') !== '';
  const revision = `${git('rev-parse', 'HEAD')}${isChanged ? '-dirty' : ''}`;
  const epochSeconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct'));
  if (!Number.isSafeInteger(epochSeconds)) throw new Error('SOURCE_DATE_EPOCH must be a time in seconds');
  return { version, revision, epochSeconds };
}
