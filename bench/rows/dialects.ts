// Comparisons of access tokens for machine clients by dialect and by rate limiter.
import { execFileSync } from 'node:child_process';
import type { Comparison, Side } from '../compare.ts';
import { startExtraService } from '../extra-service.ts';
import { LOAD_CORE, SEARCH_PATH, startProgram, type Program } from '../program.ts';
import { freePort } from '../../test/support/free-port.ts';
import { seedClients, type SeededClient } from '../seed.ts';
import { ENGINES, wrkSide, type Stand } from '../stand.ts';

const TOKEN = '/api/v1/auth/token';
const FORM = 'application/x-www-form-urlencoded';

/** The lines of the format `post` for a client, by dialect. */
const DIALECTS = {
  form: ({ id, secret }: SeededClient) =>
    line(FORM, '', `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`),
  Basic: ({ id, secret }: SeededClient) =>
    line(FORM, `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`, 'grant_type=client_credentials'),
  JSON: ({ id, secret }: SeededClient) =>
    line(
      'application/json',
      '',
      JSON.stringify({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
    ),
};

/**
 * Aims beside the limiter in memory. The others count with one more statement or command. The engine matters only for
 * the store `database`, as it does not for the dialects: the other rows are measured on SQLite only.
 */
const LIMITERS = [
  { store: 'none', aim: 0.95, engines: ['sqlite'] },
  { store: 'database', aim: 0.5, engines: ENGINES },
  { store: 'redis', aim: 0.5, engines: ['sqlite'] },
] as const;

/** Compares the dialects with the form, and the stores of the rate limiter with the one in memory. */
export async function dialectComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, connections, service, database } = stand;
  const [client] = await seedClients(database, 1);
  const sideOf = (name: string, program: Program, sent: string): Side =>
    wrkSide(name, program, { path: TOKEN, format: 'post', lines: [sent], connections });
  const comparisons: Comparison[] = (engine === 'sqlite' ? (['Basic', 'JSON'] as const) : []).map((dialect) => ({
    title: `POST /auth/token, ${dialect}, ${engine}`,
    aim: 0.95,
    subject: sideOf(`service, ${dialect}`, service, DIALECTS[dialect](client!)),
    limit: sideOf('form', service, DIALECTS.form(client!)),
  }));
  for (const { store, aim, engines } of LIMITERS) {
    const title = `POST /auth/token, limiter ${store}, ${engine}`;
    if (!engines.some((name) => name === engine) || !stand.wants({ title }) || (store === 'redis' && !hasRedis()))
      continue;
    const value = store === 'redis' ? (await startRedis(stand)).url : store;
    const other = await startExtraService(stand, { settings: { 'app.security.m2m.rate-limit.store': value } });
    const [ofOther] = await seedClients(other.database, 1);
    comparisons.push({
      title,
      aim,
      subject: sideOf(`limiter ${store}`, other.service, DIALECTS.form(ofOther!)),
      limit: sideOf('limiter memory', service, DIALECTS.form(client!)),
    });
  }
  return comparisons;
}

function line(type: string, authorization: string, body: string): string {
  return [type, authorization, body].join('\t');
}

function hasRedis(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v redis-server'], { stdio: 'ignore', env: { PATH: SEARCH_PATH } });
    return true;
  } catch {
    process.stderr.write('redis-server was not found, its row is left out. Debian: apt-get install redis-server\n');
    return false;
  }
}

async function startRedis({ start }: Stand): Promise<Program> {
  const port = await freePort();
  return start(
    startProgram({
      core: LOAD_CORE,
      command: () => ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', ''],
      urlIn: (text) => (text.includes('Ready to accept connections') ? `redis://127.0.0.1:${port}` : undefined),
    }),
  );
}
