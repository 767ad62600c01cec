// Uses and misuses of second factors. leaked-secrets.test.ts then searches the traces for secrets.
import { expect } from 'vitest';
import { FactorServiceService } from '../../proto/gen/authservice/factor/v1/factor_service.ts';
import {
  RefreshTokenTransport,
  SessionServiceService,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { seedAccount } from '../support/accounts.ts';
import { seedChallenge } from '../support/login-challenges.ts';
import { bearer, restClient } from '../support/rest-client.ts';
import { seedSession, signIn } from '../support/sessions.ts';
import { codeAt, wrongCode } from '../support/totp.ts';
import { tampered, type Scene } from './credential-uses.ts';

export async function useSecondFactors({ a, b, attempt, keep }: Scene): Promise<void> {
  const factors = a.client(FactorServiceService);
  const sessions = a.client(SessionServiceService);
  const rest = restClient(a.url);
  const keepCodes = (codes: readonly string[]) =>
    codes.map((code) => keep('recovery code', (keep('recovery code', code), code.replaceAll('-', ''))));
  const account = await seedAccount(a.database);
  const own = await signIn(a, account);
  const { secret } = await factors.createMyTotp({}, own);
  keep('TOTP secret', secret);
  await attempt(factors.confirmMyTotp({ totp: wrongCode(secret, a.clock.now()) }, own));
  const { recoveryCodes } = await factors.confirmMyTotp({ totp: codeAt(secret, a.clock.now()) }, own);
  const replaced = keepCodes(recoveryCodes);
  const [used, code] = keepCodes((await factors.createMyRecoveryCodes({}, own)).recoveryCodes);

  // A login returns its challenge in an error, so these were not created by one.
  const challengeOf = async () => {
    const challenge = await seedChallenge(a, account);
    keep('challenge', challenge.split('.')[1]!);
    return challenge;
  };
  const post = (path: string, body: object | string) => rest.postJson(`/api/v1/auth/second-factor${path}`, body);
  const challenge = await challengeOf();
  expect((await post('', { challenge, recoveryCode: used })).status).toBe(200);
  const open = await challengeOf();
  for (const body of [
    { challenge, recoveryCode: code },
    { challenge: open, recoveryCode: used },
    { challenge: open, recoveryCode: replaced[0] },
    { challenge: tampered(open), recoveryCode: code },
    { challenge: open, totp: code },
    { challenge: open, passkey: { id: code, rawId: secret, response: { clientDataJSON: code, signature: open } } },
    { challenge: open.repeat(20), recoveryCode: code },
    { challenge: [open], recoveryCode: { code } },
    `{"challenge":"${open}","recoveryCode":"${code}"`,
  ])
    expect((await post('', body)).status).toBeGreaterThanOrEqual(400);
  await post(`?challenge=${encodeURIComponent(open)}&recoveryCode=${code}`, {});
  await post('/passkey-options', { challenge: open });
  await post('/enrolment', { challenge: open, method: secret });
  await restClient(b.url).postJson('/api/v1/auth/second-factor', { challenge: open, recoveryCode: code });
  await rest.send('GET', '/api/v1/auth/me', { headers: bearer(open) });
  await rest.postJson('/api/v1/auth/passkey', { challenge: open, passkey: { id: code, response: secret } });
  const { accessToken } = await seedSession(a, account);
  for (const body of [{ totp: code }, { password: code }, { passkey: { id: secret } }, { recoveryCode: code }])
    await rest.postJson('/api/v1/account/confirm', body, bearer(keep('access token', accessToken)));
  await attempt(
    sessions.completeLogin({
      challenge: open,
      proof: { $case: 'recoveryCode', value: code! },
      refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE,
    }),
  );
  await attempt(factors.createMyPasskey({ label: 'Phone', passkey: JSON.stringify({ id: code }) }, own));
}
