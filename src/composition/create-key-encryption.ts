// Creates the encryption of stored keys. Its key comes from the settings. In DEV and TEST, it can come from a key file.
import { dirname, join } from 'node:path';
import type { Settings } from '../platform/config/settings.ts';
import { parseDatabaseUrl } from '../platform/db/database-url.ts';
import { createKeyEncryption, type KeyEncryption } from '../auth/token/key-encryption.ts';
import { developmentKeyFile } from '../auth/token/key-file.ts';

export function createConfiguredKeyEncryption(settings: Settings): KeyEncryption {
  const configured = settings['app.security.key-encryption-key'];
  const key = configured ?? developmentKeyFile(join(dataDirectory(settings), 'key-encryption-key'));
  return createKeyEncryption(key, settings['app.security.key-encryption-other-keys']);
}

function dataDirectory(settings: Settings): string {
  const url = parseDatabaseUrl(settings['app.database.url']);
  return url.engine === 'sqlite' && url.filename !== ':memory:' ? dirname(url.filename) : 'data';
}
