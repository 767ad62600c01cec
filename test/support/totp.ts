// Codes of TOTP secrets, as an authenticator app calculates them.
import { totpCode, totpStepAt } from '../../src/auth/factors/totp.ts';
import { fromBase32 } from '../../src/platform/formats/base32.ts';
import type { Caller } from './callers.ts';

/** Returns the code of a secret in base32 at a time. */
export function codeAt(secret: string, now: number): string {
  return totpCode(fromBase32(secret), totpStepAt(now));
}

/** Returns a code that is wrong at all times near this one. */
export function wrongCode(secret: string, now: number): string {
  const right = [-60_000, -30_000, 0, 30_000, 60_000].map((difference) => codeAt(secret, now + difference));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code))!;
}

/** Sets up the TOTP of a caller. Returns its secret and the recovery codes of a first factor. */
export async function setUpTotp(by: Caller, { now }: { now(): number }) {
  const { secret } = (await by.post('/account/factors/totp')).body as { secret: string };
  const { status, body } = await by.post('/account/factors/totp/confirm', { totp: codeAt(secret, now()) });
  if (status !== 200) throw new Error(`the TOTP was not confirmed: ${JSON.stringify(body)}`);
  return { secret, recoveryCodes: body.recoveryCodes as string[] };
}
