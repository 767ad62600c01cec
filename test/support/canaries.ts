// Canary secrets: tests search for them in logs, databases and files of the service.
import { existsSync, readFileSync } from 'node:fs';
import type { Database, StoredValue } from '../../src/platform/db/types.ts';

/** A set of secrets that can be searched for in a text. */
export interface Canaries {
  /** Adds a secret and returns it. */
  keep(name: string, secret: string): string;
  /** Returns the names of the secrets that a text contains, in any encoding. */
  foundIn(trace: Buffer | string): string[];
  readonly size: number;
}

export function createCanaries(): Canaries {
  const kept = new Map<string, readonly Buffer[]>();
  return {
    keep(name, secret) {
      if (secret.length < 16) throw new TypeError(`${name} could be found by chance`);
      kept.set(`${name} ${kept.size}`, spellingsOf(secret));
      return secret;
    },
    foundIn(trace) {
      const bytes = Buffer.isBuffer(trace) ? trace : Buffer.from(trace);
      return [...kept].flatMap(([name, spellings]) =>
        spellings.some((spelling) => bytes.includes(spelling)) ? [name] : [],
      );
    },
    get size() {
      return kept.size;
    },
  };
}

/** Returns the encodings in which a secret, or its secret part, could occur. */
function spellingsOf(secret: string): Buffer[] {
  return partsOf(secret).flatMap((part) => {
    const bytes = Buffer.from(part);
    const texts = [
      part,
      JSON.stringify(part).slice(1, -1),
      encodeURIComponent(part),
      new URLSearchParams([['', part]]).toString().slice(1),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      ...insideBase64(bytes),
    ];
    return [...texts.map((text) => Buffer.from(text)), ...decoded(part)];
  });
}

/** Returns the whole secret, and the secret parts of dotted credentials: signature, verifier, MAC. */
function partsOf(secret: string): string[] {
  const dotted = secret.split('.').slice(2);
  return [secret, ...dotted.filter((part) => part.length >= 40)];
}

/**
 * Returns the base64 of the bytes at each of the three offsets in a longer text, without the characters that depend on
 * neighbours.
 */
function insideBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3)).toString('base64');
    const standard = whole.slice(offset === 0 ? 0 : 4);
    return [standard, standard.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Returns the decoded bytes of a base64url secret, and their hex. */
function decoded(part: string): Buffer[] {
  if (!/^[\w-]{40,}$/.test(part)) return [];
  const bytes = Buffer.from(part, 'base64url');
  return [bytes, Buffer.from(bytes.toString('hex'))];
}

/** Returns all bytes of a database: the values of all rows, and for SQLite also its files. */
export async function databaseBytes(database: Database, url: string): Promise<Buffer> {
  const values: StoredValue[] = [];
  for (const table of await tablesOf(database)) {
    for (const row of await database.query(`SELECT * FROM \`${table}\``)) values.push(...Object.values(row));
  }
  const path = url.replace(/^sqlite:/, '');
  const files = database.engine === 'sqlite' ? [path, `${path}-wal`, `${path}-journal`].filter(existsSync) : [];
  return Buffer.concat([
    ...values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(`\n${value}\n`))),
    ...files.map((file) => readFileSync(file)),
  ]);
}

const TABLES: Record<Database['engine'], string> = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  mysql: 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
};

async function tablesOf(database: Database): Promise<string[]> {
  return (await database.query<{ name: string }>(TABLES[database.engine])).map(({ name }) => name);
}
