// Passkeys that are backed up without being eligible for it.
import { hash } from 'node:crypto';
import type * as library from '@simplewebauthn/server';

/** Flags of authenticator data (section 6.1): backup eligibility and state. */
const [FLAGS_OFFSET, BE, BS] = [32, 0x08, 0x10];

/**
 * The library refuses a passkey that is backed up but not eligible for it, which WebAuthn does not allow and some authenticators send.
 * Returns a response that it checks, without the flag BS. Its signature is then that of the response as sent.
 */
export function withoutBackupFlag(response: library.AuthenticationResponseJSON) {
  const data = Buffer.from(response.response.authenticatorData, 'base64url');
  const flags = data[FLAGS_OFFSET] ?? 0;
  if ((flags & (BE | BS)) !== BS) return { checked: response, isChanged: false };
  data[FLAGS_OFFSET] = flags & ~BS;
  const authenticatorData = data.toString('base64url');
  return { checked: { ...response, response: { ...response.response, authenticatorData } }, isChanged: true };
}

/** Whether a public key has signed a response (WebAuthn level 3, section 7.2). */
export async function isSigned(
  { response: { authenticatorData, clientDataJSON, signature } }: library.AuthenticationResponseJSON,
  credentialPublicKey: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { verifySignature } = await import('@simplewebauthn/server/helpers');
  const clientDataHash = hash('sha256', Buffer.from(clientDataJSON, 'base64url'), 'buffer');
  const signed = Buffer.concat([Buffer.from(authenticatorData, 'base64url'), clientDataHash]);
  const data = Uint8Array.from(signed);
  return verifySignature({
    signature: Uint8Array.from(Buffer.from(signature, 'base64url')),
    data,
    credentialPublicKey,
  });
}
