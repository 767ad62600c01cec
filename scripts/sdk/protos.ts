// The protos with all that they import.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, run } from './commands.ts';
import { BUILD, emptyFolder, VERSION } from './staging.ts';

/** What the libraries of most languages contain already; their code must not be generated again there. */
const GOOGLE_RPC = ['third_party/google/rpc', 'third_party/grpc'];

interface Selection {
  /** Whether google/rpc and grpc/health are included. */
  readonly withLibraries?: boolean;
}

/** Writes this project's protos and their imports to a folder, which it empties. */
export function exportProtos(folder: string, { withLibraries = false }: Selection = {}): string {
  const paths = ['proto/authservice', ...(withLibraries ? GOOGLE_RPC : [])];
  run('buf', ['export', '.', ...paths.flatMap((path) => ['--path', path]), '--output', emptyFolder(folder)]);
  return folder;
}

/** Writes a buf module that needs no other one, as an archive that buf reads as an input. */
export function packProtos(): string {
  const folder = exportProtos(join(BUILD, 'sdk/proto'));
  writeFileSync(join(folder, 'buf.yaml'), 'version: v2\n');
  cpSync(join(PROJECT, 'sdk/proto/README.md'), join(folder, 'README.md'));
  cpSync(join(PROJECT, 'LICENSE'), join(folder, 'LICENSE'));
  const archive = join(BUILD, `authservice-proto-${VERSION}.tar.gz`);
  run('tar', ['-czf', archive, '-C', folder, '.']);
  return archive;
}
