// The SQLite file: its path, its mode, and an existing file.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { waitForDatabase } from '../../src/platform/db/wait.ts';

const LOCK = "new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('BEGIN IMMEDIATE')";

const WAIT = `const { connectDatabase } = await import(process.argv[1] + '/src/platform/db/connect.ts');
const { waitForDatabase } = await import(process.argv[1] + '/src/platform/db/wait.ts');
const db = connectDatabase({ url: 'sqlite:' + process.argv[2], poolSize: 1, log: console });
await waitForDatabase(db, { log: console, timeoutMs: 5000 }).catch((error) => console.log(error.message));
await db.close();`;

/** Waits for the database in a process that cannot read all files, even as root. */
function startWithoutCapabilities(file: string) {
  const node = [process.execPath, '--input-type=module', '-e', WAIT, process.cwd(), file];
  const isRoot = process.getuid!() === 0;
  const [program, ...args] = isRoot ? ['setpriv', '--inh-caps=-all', '--bounding-set=-all', ...node] : node;
  return spawnSync(program!, args, { encoding: 'utf8' });
}

const log = pino({ level: 'silent' });
const connect = (path: string) => connectDatabase({ url: `sqlite:${path}`, poolSize: 1, log });

describe('a SQLite file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sqlite-file-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is created with its folders, for its owner only', async () => {
    const file = join(folder, 'a/b/c/new.db');
    const db = connect(file);
    await db.ping(1_000);
    await db.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps its file mode', async () => {
    const file = join(folder, 'shared.db');
    writeFileSync(file, '');
    chmodSync(file, 0o640);
    const db = connect(file);
    await db.ping(1_000);
    await db.close();
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('keeps the locks of this process when it is opened again', async () => {
    const file = join(folder, 'locked.db');
    const holder = new DatabaseSync(file);
    holder.exec('CREATE TABLE a (b); BEGIN IMMEDIATE');
    const second = connect(file);
    await second.ping(50).catch(() => {});
    const { status, stderr } = spawnSync(process.execPath, ['-e', LOCK, file], { encoding: 'utf8' });
    expect(stderr).toContain('database is locked');
    expect(status).toBe(1);
    holder.close();
    await second.close();
  });

  // The second: `mkdir` in there says ENOENT although the parent is there.
  it.each(['/dev/null/x/service.db', '/proc/x/service.db'])('is rejected at once if it is %s', (path) => {
    expect(() => connect(path)).toThrow(/cannot be made \(E[A-Z]+\); give app\.database\.url=sqlite:PATH/);
    expect(existsSync(path)).toBe(false);
  });

  it('is rejected at once if it is a folder, a link to itself, or a link into a missing folder', async () => {
    symlinkSync('loop.db', join(folder, 'loop.db'));
    symlinkSync('missing/service.db', join(folder, 'dangling.db'));
    for (const [path, reason] of [
      [folder, /it is not a file; give another app\.database\.url$/],
      [join(folder, 'loop.db'), /loop\.db cannot be opened \(ELOOP\); let the user of the service read and write it/],
      [join(folder, 'dangling.db'), /dangling\.db cannot be opened \(ENOENT\); let the user of the service/],
    ] as const) {
      const db = connect(path);
      await expect(waitForDatabase(db, { log })).rejects.toThrow(reason);
      await db.close();
    }
  });

  it.each(['', '-wal', '-shm'])('is rejected at once if its file *%s cannot be read', (suffix) => {
    const file = join(folder, `secret${suffix}.db`);
    const holder = new DatabaseSync(file);
    holder.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b)');
    chmodSync(file + suffix, 0);
    const { status, stdout } = startWithoutCapabilities(file);
    expect(stdout).toContain(
      `SQLite ${file} cannot be used: ${file}${suffix} cannot be opened (EACCES); ` +
        'let the user of the service read and write it, or give another app.database.url',
    );
    expect(status).toBe(0);
    holder.close();
  });

  it('is rejected at once if no file can be created beside it, also through a link', () => {
    const readOnly = mkdtempSync(join(folder, 'read-only-'));
    const file = join(readOnly, 'service.db');
    new DatabaseSync(file).close();
    symlinkSync(file, join(folder, 'link.db'));
    chmodSync(readOnly, 0o555);
    for (const path of [file, join(folder, 'link.db')]) {
      const { stdout } = startWithoutCapabilities(path);
      expect(stdout).toContain(`SQLite ${path} cannot be used: ${readOnly} cannot be opened (EACCES); let the user of`);
    }
  });

  it('is rejected at once if it is not a database', async () => {
    const file = join(folder, 'letter.db');
    writeFileSync(file, 'This is a letter, not a database. '.repeat(100));
    const db = connect(file);
    const error: Error = await waitForDatabase(db, { log }).catch((reason) => reason);
    expect(error.message).toContain(file);
    expect(error.message).toMatch(/not a SQLite database \(SQLite 26\); give another app\.database\.url/);
    await db.close();
  });
});
