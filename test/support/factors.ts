// Second factors without their enrolment, created by calling the core's modules with the deployment's keys.
import { createConfirmTotp } from '../../src/auth/factors/confirm-totp.ts';
import { newTotpSecret, totpCode, totpStepAt } from '../../src/auth/factors/totp.ts';
import { createTotpSecrets } from '../../src/auth/factors/totp-secrets.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { loadSecretKey } from '../../src/auth/keys/secret-key.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { PASSWORD, seedAccount, type Seed } from './accounts.ts';
import type { Deployment } from './deployment.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './key-encryption-key.ts';
import type { RestResponse } from './rest-client.ts';

type Seeding = Pick<Deployment, 'database' | 'clock'>;

/** An account with a TOTP. */
export interface TotpOwner {
  readonly account: Account;
  readonly recoveryCodes: readonly string[];
  /** Returns the code of the present step, or of one that is so many steps later. */
  code(later?: number): string;
}

/** The time since the enrolment: longer than the steps that a code can belong to. */
const PAST_MS = 300_000;

/** Gives an account a TOTP and recovery codes. No step is used that a code of a test could have. */
export async function seedTotp(deployment: Seeding, seed: Seed = {}): Promise<TotpOwner> {
  const { database, clock } = deployment;
  const account = await seedAccount(database, seed);
  const key = await loadSecretKey({
    database,
    encryption: createKeyEncryption(TEST_KEY_ENCRYPTION_KEY),
    name: 'totp-secrets',
    clock: clock.now,
  });
  const secret = newTotpSecret();
  const secrets = createTotpSecrets(createKeyEncryption(key));
  const encrypted = secrets.encrypt(account.id, secret);
  const now = clock.now() - PAST_MS;
  const recoveryCodes = await database.transaction(UNLIMITED, (tx) =>
    createConfirmTotp(secrets)({ tx, account, now }, encrypted, totpCode(secret, totpStepAt(now))),
  );
  return {
    account,
    recoveryCodes: recoveryCodes!,
    code: (later = 0) => totpCode(secret, totpStepAt(clock.now()) + later),
  };
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) => BASE32.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

/** Returns the code of a secret in base32, as an authenticator app shows it. */
export function codeOf(secret: string, now: number, later = 0): string {
  return totpCode(fromBase32(secret), totpStepAt(now) + later);
}

/** Returns a code that is wrong in every step around the present one. */
export function wrongCode({ code }: Pick<TotpOwner, 'code'>): string {
  const right = [-2, -1, 0, 1, 2].map(code);
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((text) => !right.includes(text))!;
}

/** What a client sees of the second factor in each profile. */
export interface FactorProfile {
  readonly profile: 'A' | 'B';
  readonly settings: Readonly<Record<string, string>>;
  readonly recoveryCode: string;
  readonly recoveryCodes: string;
  readonly expiresIn: string;
  /** Returns the code of an error response. */
  errorOf(response: RestResponse): string;
  /** Returns a code as this profile spells it. */
  error(code: string): string;
}

const upper = (code: string) => `AUTH_${code.toUpperCase().replaceAll('-', '_')}`;
const SPECIAL: Readonly<Record<string, string>> = {
  'bad-credentials': 'AUTH_INVALID_CREDENTIALS',
  'account-expired': 'AUTH_ACCOUNT_DISABLED',
  'credentials-expired': 'AUTH_ACCOUNT_DISABLED',
  'login-policy-rejected': 'AUTH_ACCOUNT_DISABLED',
  'too-many-requests': 'TOO_MANY_REQUESTS',
};

export const PROFILES: readonly FactorProfile[] = [
  {
    profile: 'A',
    settings: { 'app.security.auth-profile': 'A' },
    recoveryCode: 'recoveryCode',
    recoveryCodes: 'recoveryCodes',
    expiresIn: 'expiresIn',
    errorOf: ({ body }) => body.errorCode,
    error: (code) => code,
  },
  {
    profile: 'B',
    settings: { 'app.security.auth-profile': 'B' },
    recoveryCode: 'recovery_code',
    recoveryCodes: 'recovery_codes',
    expiresIn: 'expires_in',
    errorOf: ({ body }) => body.error,
    error: (code) => SPECIAL[code] ?? upper(code),
  },
];

export const CREDENTIALS = ({ username }: Account) => ({ username, password: PASSWORD });
