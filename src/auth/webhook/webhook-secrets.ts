// The secrets of webhooks (Standard Webhooks 1.0). Their encryption key is a secret key of the deployment, which is
// encrypted with the key-encryption key.
import { randomBytes } from 'node:crypto';
import type { KeyEncryption } from '../keys/key-encryption.ts';

/** The encrypted secrets of a webhook. Those before the current one are valid until `until`, Unix milliseconds. */
export interface WebhookSecrets {
  readonly encrypted: Uint8Array;
  /** The newest first. */
  readonly replaced: readonly { readonly encrypted: Uint8Array; readonly until: number }[];
}

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export type WebhookSecretCipher = ReturnType<typeof createWebhookSecrets>;

export function createWebhookSecrets(encryption: Pick<KeyEncryption, 'encrypt' | 'decrypt'>) {
  // A secret that was copied to the row of another webhook is refused.
  const contextOf = (webhookId: string) => `webhook-secret:${webhookId}`;
  const decrypt = (webhookId: string, bytes: Uint8Array): string | undefined => {
    try {
      return encryption.decrypt(bytes, contextOf(webhookId)).toString();
    } catch {
      // Its error names settings of the service.
      return undefined;
    }
  };
  return {
    /** Creates a secret. `text` is shown only once. */
    create(webhookId: string): { readonly text: string; readonly encrypted: Buffer } {
      const text = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
      return { text, encrypted: encryption.encrypt(Buffer.from(text), contextOf(webhookId)) };
    },
    /**
     * Returns the secrets that are valid at a time, the newest first. Throws an Error for the owner of the webhook if the current one
     * cannot be decrypted. Others are left out then: the new one is there because the key was lost.
     */
    open(webhookId: string, { encrypted, replaced }: WebhookSecrets, now: number): readonly string[] {
      const current = decrypt(webhookId, encrypted);
      if (current === undefined) throw new Error('the secret cannot be decrypted: replace it');
      const before = replaced.filter(({ until }) => now < until).map((one) => decrypt(webhookId, one.encrypted));
      return [current, ...before.filter((secret) => secret !== undefined)];
    },
  };
}
