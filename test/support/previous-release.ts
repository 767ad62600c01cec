// The code of the previous release, from the history of the project.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, PROJECT } from './service-process.ts';

/** Used until a release has a tag `v…`: the commit before readiness began to check the schema. */
const BEFORE_FIRST_RELEASE = 'cc272414734007e68f3c860f1d7a992c91c7874d';

export interface PreviousRelease {
  /** The tag or the commit. */
  readonly name: string;
  /** The folder of its package.json, with packages. endProcesses removes it. */
  readonly folder: string;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Unpacks the newest release before this commit. Throws if the history is missing. */
export function unpackPreviousRelease(): PreviousRelease {
  return unpackRelease(newestTag() ?? BEFORE_FIRST_RELEASE);
}

/** Unpacks the code of a tag or commit. Throws if the history is missing. */
export function unpackRelease(name: string): PreviousRelease {
  const folder = join(emptyFolder(), 'previous');
  mkdirSync(folder);
  execFileSync('tar', ['-x', '-C', folder], { input: archive(name) });
  installPackages(folder);
  return { name, folder: `${folder}/` };
}

function newestTag(): string | undefined {
  const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-v:refname').toString();
  return tags.split('\n').find((tag) => tag !== '');
}

function archive(name: string): Buffer {
  try {
    return git('archive', name, 'package.json', 'package-lock.json', 'src', 'gateway', 'proto', 'migrations');
  } catch (cause) {
    throw new Error(
      `The code of the previous release, ${name}, is missing. This test needs the history of the project: clone it with ` +
        'git, or run git fetch --unshallow --tags in a shallow clone.',
      { cause },
    );
  }
}

/** Its packages are those of this project as long as it needs no other version of one. */
function installPackages(folder: string): void {
  const manifest = (project: string) => JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Manifest;
  const ours = manifest(PROJECT).dependencies;
  const others = Object.entries(manifest(folder).dependencies).filter(([name, version]) => ours[name] !== version);
  if (others.length === 0) return symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  execFileSync('npm', ['ci', ...options], { cwd: folder, stdio: 'pipe' });
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: PROJECT, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 28 });
}
