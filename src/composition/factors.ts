import type { Settings } from '../platform/config/settings.ts';
import { originMatcher } from '../platform/formats/origins.ts';
import type { FactorOptions } from '../auth/factors/decide-factors.ts';
import { createPasskeyChallenges } from '../auth/factors/passkeys/passkey-challenges.ts';
import { createPasskeys, type Passkeys } from '../auth/factors/passkeys/passkeys.ts';
import { createWebauthn, type Webauthn } from '../auth/factors/passkeys/webauthn.ts';
import { createTotpSecrets, type TotpSecrets } from '../auth/factors/totp-secrets.ts';
import { loadSecretKey } from '../auth/keys/secret-key.ts';
import { createKeyEncryption, type KeyEncryption } from '../auth/keys/key-encryption.ts';
import type { Foundation } from './foundation.ts';

/** Creates the passkeys. The key of their challenges is read from the database or created. */
export async function createConfiguredPasskeys(foundation: Foundation, encryption: KeyEncryption): Promise<Passkeys> {
  const { settings, database, clock } = foundation;
  const macKey = await loadSecretKey({ database, encryption, name: 'passkey-challenge', clock });
  return createPasskeys({
    database,
    webauthn: configuredWebauthn(settings, createPasskeyChallenges({ macKey, clock })),
  });
}

/** Creates the encryption of TOTP secrets. Its key is read from the database or created. */
export async function createConfiguredTotpSecrets(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  encryption: KeyEncryption,
): Promise<TotpSecrets> {
  return createTotpSecrets(
    createKeyEncryption(await loadSecretKey({ database, encryption, name: 'totp-secrets', clock })),
  );
}

/** Returns which second factors a login offers. */
export function factorOptions(settings: Settings): FactorOptions {
  return { passkeys: settings['app.security.passkeys.enabled'] };
}

function configuredWebauthn(
  settings: Settings,
  challenges: ReturnType<typeof createPasskeyChallenges>,
): Webauthn | undefined {
  const { 'app.public-url': publicUrl, 'app.security.passkeys.rp-id': rpId } = settings;
  if (!settings['app.security.passkeys.enabled'] || publicUrl === undefined || rpId === undefined) return undefined;
  const own = new URL(publicUrl).origin;
  const isListed = originMatcher(settings['app.http.cors.allowed-origins']);
  return createWebauthn({
    rpId,
    rpName: settings['app.brand.name'],
    isAllowedOrigin: (origin) => origin === own || isListed(origin),
    challenges,
  });
}
