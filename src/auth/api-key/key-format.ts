// The format of API keys: a fixed prefix, 256 random bits and a checksum. So scanners find leaked keys, and random text
// is refused without a lookup.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'svckey_';
const RANDOM_BYTES = 32;
/** The fixed prefix, 43 characters for 32 bytes, 6 for the checksum's 4. */
const FORMAT = /^svckey_[\w-]{49}$/;
const CHECKSUM_CHARACTERS = 6;
/** Six random characters: enough to distinguish keys, while 220 bits stay secret. */
const SHOWN_CHARACTERS = PREFIX.length + 6;

/**
 * Creates a random key: the key itself, which is shown once and never stored, its SHA-256, and its first characters, by
 * which its owner can recognise it.
 */
export function generateApiKey() {
  const body = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
  const key = body + checksum(body);
  return { key, hash: sha256(key), prefix: key.slice(0, SHOWN_CHARACTERS) };
}

/** Returns the SHA-256 by which a key is looked up; undefined if the text is not a well-formed key. */
export function apiKeyHash(text: string): Buffer | undefined {
  if (!FORMAT.test(text)) return undefined;
  const body = text.slice(0, -CHECKSUM_CHARACTERS);
  return checksum(body) === text.slice(-CHECKSUM_CHARACTERS) ? sha256(text) : undefined;
}

/** Whether a text has the form of an API key, including the checksum. The key may not exist. */
export function isApiKey(text: string): boolean {
  return apiKeyHash(text) !== undefined;
}

/** CRC-32 in big-endian order, base64url. It detects typing errors and is not a security measure. */
function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64url');
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
