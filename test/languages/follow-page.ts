// Follows a page of docs/grpc as a reader does: writes its files to an empty folder and runs its commands, from top to bottom.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT } from '../support/service-process.ts';
import { runShell, type CommandOptions } from './commands.ts';

/** A file, with the line before it, or commands. */
const BLOCK = /(?:^([^\n]*)\n\n<!-- snippet examples\/(\S+) -->|<!-- run \S+ -->)\n```\w+\n(.*?)\n```$/gms;

/** Empties the folder and follows the page of the language. */
export async function followPage(language: string, folder: string, env: CommandOptions['env'] = {}): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const page = readFileSync(join(PROJECT, `docs/grpc/${language}.md`), 'utf8');
  const steps = [...page.matchAll(BLOCK)].map(([, heading, source, content]) =>
    source === undefined ? content! : writeFile(fileName(language, source, heading!), content!),
  );
  if (steps.length === 0) throw new Error(`docs/grpc/${language}.md has no files and commands`);
  await runShell(steps.join('\n'), { cwd: folder, env: { AUTHSERVICE: PROJECT, ...env } });
}

/** Returns the path of a file in the reader's folder. The line before the file must name it, because readers do not see the source. */
function fileName(language: string, source: string, heading: string): string {
  const path = source.replace(new RegExp(`^${language}/`), '');
  if (!heading.includes(`\`${path}\``)) throw new Error(`docs/grpc/${language}.md does not name the file ${path}`);
  return path;
}

const writeFile = (path: string, content: string) =>
  `mkdir -p '${dirname(path)}'\ncat > '${path}' <<'END_OF_FILE'\n${content}\nEND_OF_FILE`;
