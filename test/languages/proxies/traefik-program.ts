// Traefik, as the Go module proxy has it. Its module alone cannot be installed: it needs folders that the module does not contain.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../commands.ts';
import { CACHE, requirePrograms } from '../toolchain.ts';

const SOURCE = fileURLToPath(new URL('traefik', import.meta.url));
/** Version that traefik/go.mod requires. */
const VERSION = '3.7.13';
/** Module of which only the DNS providers are replaced, as Traefik requires it. */
const LEGO = 'github.com/go-acme/lego/v5@v5.4.1';

/** Returns the path of Traefik's program. Builds it if it is missing. */
export async function traefikProgram(): Promise<string> {
  requirePrograms('go');
  const folder = join(CACHE, `traefik-${VERSION}`);
  const program = join(folder, 'traefik');
  if (existsSync(program)) return program;
  console.log(`Building Traefik ${VERSION} …`);
  rmSync(folder, { recursive: true, force: true });
  cpSync(SOURCE, folder, { recursive: true });
  const { Dir: lego } = JSON.parse(await run('go', ['mod', 'download', '-json', LEGO])) as { Dir: string };
  await run('cp', ['--recursive', '--no-preserve=mode', lego, join(folder, 'lego')]);
  rmSync(join(folder, 'lego/providers/dns'), { recursive: true });
  cpSync(join(folder, 'dns'), join(folder, 'lego/providers/dns'), { recursive: true });
  const options = ['-mod=mod', '-buildvcs=false', '-ldflags=-s -w'];
  await run('go', ['build', ...options, '-o', 'traefik', 'github.com/traefik/traefik/v3/cmd/traefik'], { cwd: folder });
  return program;
}
