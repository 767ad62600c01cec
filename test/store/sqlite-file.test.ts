// The SQLite file: its path, its mode, and an existing file.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import { waitForDatabase } from '../../src/db/wait.ts';

const LOCK = "new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('BEGIN IMMEDIATE')";

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
