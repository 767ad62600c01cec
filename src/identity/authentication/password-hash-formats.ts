// The formats of stored password hashes. This service writes Argon2id; the others come from imported accounts.

interface HashFormat {
  readonly pattern: RegExp;
  /** Whether verifying the hash takes an acceptable time and memory. */
  readonly isAffordable: (parameters: RegExpExecArray) => boolean;
}

// A login ends after 4 s, also while other hashes are verified: a slower hash would never let its user log in. Measured on
// an idle machine with two cores: 1.1 s for bcrypt with cost 14, 1.2 s for Argon2 with 256 MiB and 4 iterations.
const MAX_BCRYPT_COST = 14;
const MAX_ARGON2 = { memoryKib: 262_144, iterations: 16, parallelism: 16, memoryTimesIterationsKib: 1_048_576 };

/** bcrypt as other programs write it: `$2a$`, `$2b$`, and `$2y$` of PHP and Apache. */
const BCRYPT: HashFormat = {
  pattern: /^\$2[aby]\$(\d\d)\$[./A-Za-z\d]{53}$/,
  isAffordable: ([, cost]) => Number(cost) >= 4 && Number(cost) <= MAX_BCRYPT_COST,
};

/** PHC strings of Argon2 (RFC 9106). */
const ARGON2: HashFormat = {
  pattern: /^\$argon2(?:id|i|d)\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$[A-Za-z\d+/]{11,86}\$[A-Za-z\d+/]{16,86}$/,
  isAffordable: ([, memory, iterations, parallelism]) =>
    Number(memory) >= 8 &&
    Number(memory) <= MAX_ARGON2.memoryKib &&
    Number(iterations) >= 1 &&
    Number(iterations) <= MAX_ARGON2.iterations &&
    Number(memory) * Number(iterations) <= MAX_ARGON2.memoryTimesIterationsKib &&
    Number(parallelism) >= 1 &&
    Number(parallelism) <= MAX_ARGON2.parallelism,
};

/** The accepted hashes, worded to follow "must be". */
export const ACCEPTED_HASHES =
  `a bcrypt hash with a cost of 4 to ${MAX_BCRYPT_COST}, or an Argon2 hash with at most ` +
  `${MAX_ARGON2.memoryKib / 1_024} MiB, ${MAX_ARGON2.iterations} iterations, ${MAX_ARGON2.parallelism} lanes and ` +
  `${MAX_ARGON2.memoryTimesIterationsKib / 1_024} MiB for memory times iterations`;

/** Whether a login can verify this hash in acceptable time. */
export function isAcceptedHash(passwordHash: string): boolean {
  return [BCRYPT, ARGON2].some(({ pattern, isAffordable }) => {
    const parameters = pattern.exec(passwordHash);
    return parameters !== null && isAffordable(parameters);
  });
}

export function isBcryptHash(passwordHash: string): boolean {
  return BCRYPT.pattern.test(passwordHash);
}

/** Verifies a bcrypt hash. Like every bcrypt, it reads the first 72 bytes of the password only. */
export async function verifyBcrypt(passwordHash: string, password: string): Promise<boolean> {
  // Loaded here because most deployments have no such hash.
  const { default: bcrypt } = await import('bcrypt');
  // The three variants differ only in bugs of the first implementations; the package knows two of the names.
  return bcrypt.compare(password, passwordHash.replace(/^\$2y\$/, '$2b$'));
}
