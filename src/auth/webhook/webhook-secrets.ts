// The secrets of webhooks (Standard Webhooks 1.0). Their encryption key is a secret key of the deployment, which is
// encrypted with the key-encryption key.
import { randomBytes } from 'node:crypto';
import type { KeyEncryption } from '../token/key-encryption.ts';

/** The encrypted secrets of a webhook. The previous one is valid until `until`, Unix milliseconds. */
export interface WebhookSecrets {
  readonly encrypted: Uint8Array;
  readonly previous: { readonly encrypted: Uint8Array; readonly until: number } | undefined;
}

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export type WebhookSecretCipher = ReturnType<typeof createWebhookSecrets>;

export function createWebhookSecrets(encryption: Pick<KeyEncryption, 'encrypt' | 'decrypt'>) {
  // A secret that was copied to the row of another webhook is refused.
  const contextOf = (webhookId: string) => `webhook-secret:${webhookId}`;
  return {
    /** Creates a secret. `text` is shown only once. */
    create(webhookId: string): { readonly text: string; readonly encrypted: Buffer } {
      const text = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
      return { text, encrypted: encryption.encrypt(Buffer.from(text), contextOf(webhookId)) };
    },
    /** Returns the secrets that are valid at a time, the current one first. Throws if one cannot be decrypted. */
    open(webhookId: string, { encrypted, previous }: WebhookSecrets, now: number): readonly string[] {
      const valid = previous !== undefined && now < previous.until ? [encrypted, previous.encrypted] : [encrypted];
      return valid.map((bytes) => encryption.decrypt(bytes, contextOf(webhookId)).toString());
    },
  };
}
