// A copy of the examples and the protos outside the project, as a user has it. What compilers left there stays, so that the next
// run compiles less.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../support/service-process.ts';
import { CACHE } from './toolchain.ts';

const FOLDERS = ['examples', 'proto/authservice', 'third_party', 'test/languages/other-vendor'];
/** What the examples' tools write, wherever it is. */
const MADE = /(^|\/)(gen|target|node_modules|\.venv|__pycache__)(\/|$)/;

/** Copies what differs, removes what is gone, and returns the folder: one for each folder of the project. */
export function openWorkspace(): string {
  const id = createHash('sha256').update(PROJECT).digest('hex').slice(0, 8);
  const workspace = join(CACHE, `workspace-${id}`);
  const wanted = new Set(filesIn(PROJECT));
  for (const file of filesIn(workspace)) if (!wanted.has(file)) rmSync(join(workspace, file));
  for (const file of wanted) {
    const [from, to] = [join(PROJECT, file), join(workspace, file)];
    // An unchanged file keeps its time, by which Maven knows it.
    if (!existsSync(to) || !readFileSync(from).equals(readFileSync(to))) cpSync(from, to);
  }
  return workspace;
}

function filesIn(root: string): string[] {
  return FOLDERS.flatMap((folder) =>
    globSync(`${folder}/**/*`, { cwd: root, exclude: (path) => MADE.test(path) }),
  ).filter((path) => !MADE.test(path) && statSync(join(root, path)).isFile());
}
