// The formats of stored password hashes. This service writes Argon2id; the others come from imported accounts.

interface HashFormat {
  readonly pattern: RegExp;
  readonly estimateCost: (parameters: Readonly<Record<string, string>>) => HashCost;
}

interface HashCost {
  /** Whether verifying the hash takes an acceptable time and memory. */
  readonly isAffordable: boolean;
  readonly memoryBytes: number;
  /** On an idle machine of 2026. */
  readonly milliseconds: number;
  readonly description: string;
}

// A login ends after 4 s, also while other hashes are verified: a slower hash would never let its user log in. Measured on
// an idle machine with two cores: 1.1 s for bcrypt with cost 14, 1.2 s for Argon2 with 256 MiB and 4 iterations.
const MAX_BCRYPT_COST = 14;
const MAX_ARGON2 = { memoryKib: 262_144, iterations: 16, parallelism: 16, memoryTimesIterationsKib: 1_048_576 };
const MAX_BCRYPT_MS = 1_100;
const MAX_ARGON2_MS = 1_200;

/** A hash of this service takes a tenth. */
const SLOW_MS = 300;

/** bcrypt as other programs write it: `$2a$`, `$2b$`, and `$2y$` of PHP and Apache. */
const BCRYPT: HashFormat = {
  pattern: /^\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z\d]{53}$/,
  estimateCost({ cost }) {
    return {
      isAffordable: Number(cost) >= 4 && Number(cost) <= MAX_BCRYPT_COST,
      memoryBytes: 4_096,
      milliseconds: MAX_BCRYPT_MS * 2 ** (Number(cost) - MAX_BCRYPT_COST),
      description: `bcrypt with cost ${Number(cost)}`,
    };
  },
};

const MEMORY = String.raw`m=(?<memory>\d{1,7})`;
const ITERATIONS = String.raw`t=(?<iterations>\d{1,3})`;
const LANES = String.raw`p=(?<lanes>\d{1,3})`;

/** Argon2 hashes (RFC 9106) as PHC strings. The reference program writes `m,t,p`, the npm package argon2 `m,p,t`. */
const ARGON2: readonly HashFormat[] = [
  [MEMORY, ITERATIONS, LANES],
  [MEMORY, LANES, ITERATIONS],
].map((parameters) => ({
  pattern: new RegExp(
    String.raw`^\$argon2(?:id|i|d)\$v=19\$${parameters.join()}\$[A-Za-z\d+/]{11,86}\$[A-Za-z\d+/]{16,86}$`,
  ),
  estimateCost(found) {
    const [memory, iterations, lanes] = [Number(found['memory']), Number(found['iterations']), Number(found['lanes'])];
    return {
      isAffordable:
        memory >= 8 &&
        memory <= MAX_ARGON2.memoryKib &&
        iterations >= 1 &&
        iterations <= MAX_ARGON2.iterations &&
        memory * iterations <= MAX_ARGON2.memoryTimesIterationsKib &&
        lanes >= 1 &&
        lanes <= MAX_ARGON2.parallelism,
      memoryBytes: memory * 1_024,
      milliseconds: (MAX_ARGON2_MS * memory * iterations) / MAX_ARGON2.memoryTimesIterationsKib,
      description: `Argon2 with ${Math.ceil(memory / 1_024)} MiB and ${iterations} iterations`,
    };
  },
}));

const FORMATS: readonly HashFormat[] = [BCRYPT, ...ARGON2];

/** The accepted hashes, worded to follow "must be". */
export const ACCEPTED_HASHES =
  `a bcrypt hash with a cost of 4 to ${MAX_BCRYPT_COST}, or an Argon2 hash with at most ` +
  `${MAX_ARGON2.memoryKib / 1_024} MiB, ${MAX_ARGON2.iterations} iterations, ${MAX_ARGON2.parallelism} lanes and ` +
  `${MAX_ARGON2.memoryTimesIterationsKib / 1_024} MiB for memory times iterations`;

/** Whether a login can verify this hash in acceptable time. */
export function isAcceptedHash(passwordHash: string): boolean {
  return costOf(passwordHash)?.isAffordable ?? false;
}

/** Returns the memory that verifying the hash takes, in bytes; 0 for an unknown format. */
export function memoryOfHash(passwordHash: string): number {
  return costOf(passwordHash)?.memoryBytes ?? 0;
}

/** Returns the format and time of a hash that is slow to verify; undefined for other hashes. */
export function describeSlowHash(passwordHash: string): string | undefined {
  const { milliseconds, description } = costOf(passwordHash) ?? { milliseconds: 0, description: '' };
  return milliseconds < SLOW_MS ? undefined : `${description}, about ${(milliseconds / 1_000).toFixed(1)} s`;
}

export function isBcryptHash(passwordHash: string): boolean {
  return BCRYPT.pattern.test(passwordHash);
}

/** Verifies a bcrypt hash. Like every bcrypt, it reads the first 72 bytes of the password only. */
export async function verifyBcrypt(passwordHash: string, password: string): Promise<boolean> {
  // Loaded here because most deployments have no such hash.
  const { default: bcrypt } = await import('bcrypt');
  // The three variants differ only in bugs of the first implementations; the package knows two of the names.
  const matches = await bcrypt.compare(password, passwordHash.replace(/^\$2y\$/, '$2b$'));
  // bcrypt repeats the password after a NUL, so `a NUL a` matches the hash of `a`.
  return matches && !password.includes('\0');
}

function costOf(passwordHash: string): HashCost | undefined {
  for (const { pattern, estimateCost } of FORMATS) {
    const found = pattern.exec(passwordHash);
    if (found) return estimateCost(found.groups!);
  }
  return undefined;
}
