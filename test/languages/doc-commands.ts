// The commands of docs/grpc-clients.md: code blocks after a comment `<!-- run NAME -->`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../support/service-process.ts';

const BLOCK = /<!-- run (\S+) -->\n```sh\n(.*?)```\n/gs;
const page = readFileSync(join(PROJECT, 'docs/grpc-clients.md'), 'utf8');
const blocks = new Map([...page.matchAll(BLOCK)].map(([, name, script]) => [name, script!]));

export const docCommandNames: readonly (string | undefined)[] = [...blocks.keys()];

/** The commands of that name, for a core at that port. */
export function docCommands(name: string, port = '50051'): string {
  const script = blocks.get(name);
  if (!script) throw new Error(`docs/grpc-clients.md has no commands named ${name}`);
  return script.replaceAll(':50051', `:${port}`);
}
