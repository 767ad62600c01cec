import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { decodeBase64 } from '../../platform/formats/base64.ts';

const KEY_BYTES = 32;

/** Reads the development key file. Creates it with mode 0600 if it is missing. Not for production. */
export function developmentKeyFile(path: string): Buffer {
  return readKey(path) ?? createKey(path);
}

function readKey(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = decodeBase64(text.trim(), 'base64');
  if (key?.length !== KEY_BYTES) throw new Error(`${path} does not contain a base64 key of ${KEY_BYTES} bytes`);
  return key;
}

// Creating a link is atomic, so two processes that start together agree on one key.
function createKey(path: string): Buffer {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readKey(path)!;
}
