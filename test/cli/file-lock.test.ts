// The lock of the credentials file.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { withFileLock } from '../../cli/core/credentials-file.ts';
import { emptyFolder } from '../support/service-process.ts';

const LONG_MS = 60_000;
const newLock = () => join(emptyFolder(), 'credentials.json.lock');

it('lets one holder work at a time, and leaves no file', async () => {
  const lock = newLock();
  let working = 0;
  const most = await Promise.all(
    [1, 2, 3].map(() =>
      withFileLock(lock, LONG_MS, async () => {
        working += 1;
        const seen = working;
        await new Promise(setImmediate);
        working -= 1;
        return seen;
      }),
    ),
  );
  expect(most).toEqual([1, 1, 1]);
  expect(readdirSync(dirname(lock))).toEqual([]);
});

it('takes over an expired lock, which its late holder does not release', async () => {
  const lock = newLock();
  const [second, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = withFileLock(lock, 1, () => second.promise);
  const holder = withFileLock(lock, LONG_MS, async () => {
    second.resolve();
    await end.promise;
  });
  await late;
  await expect(withFileLock(lock, 1, async () => undefined)).rejects.toThrow('held by another process');
  end.resolve();
  await holder;
  expect(existsSync(lock)).toBe(false);
});

it('takes over a folder without a holder', async () => {
  const lock = newLock();
  mkdirSync(lock);
  expect(await withFileLock(lock, 1, async () => 'done')).toBe('done');
});
