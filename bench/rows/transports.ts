import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Comparison, Side } from '../compare.ts';
import { SERVER_CORE, startProgram } from '../program.ts';
import { APP_NAME, KEY_ENCRYPTION_KEY } from '../service.ts';
import { runOnRequest, type Stand } from '../stand.ts';

/** Compares GetMe in the process with GetMe over gRPC. Both sides include the client. */
export async function transportComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, databaseUrl, sessions, start } = stand;
  const title = `GetMe over the local transport, ${engine}`;
  // SQLite serves one process. The engine is the same on both sides, so one is enough.
  if (engine !== 'mariadb' || !stand.wants({ title })) return [];
  const script = fileURLToPath(new URL('../transports.ts', import.meta.url));
  const flags = [
    `--app.name=${APP_NAME}`,
    `--app.database.url=${databaseUrl}`,
    `--app.security.key-encryption-key=${KEY_ENCRYPTION_KEY.toString('base64')}`,
  ];
  const program = await start(
    startProgram({
      core: SERVER_CORE,
      command: (directory) => [
        process.execPath,
        script,
        sessions[0]!.accessToken,
        ...flags,
        `--app.files.store=disk:${join(directory, 'files')}`,
      ],
      urlIn: (line) => /^http:\S+$/.exec(line)?.[0],
    }),
  );
  const side = (name: string, path: string): Side => ({
    name,
    pid: program.pid,
    load: (seconds) => runOnRequest(`${program.url}/${path}`, seconds),
  });
  return [{ title, aim: 10, subject: side('local', 'local'), limit: side('gRPC', 'grpc') }];
}
