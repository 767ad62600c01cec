// The refresh credential of Profile A: `selector.generation.verifier.tag`, opaque to the client. The tag authenticates the
// other three, so that garbage is refused without a query and an earlier generation is recognised however old it is, with
// one row per family and only the current verifier's hash stored.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '../formats/base64.ts';

export interface RefreshCredential {
  /** Finds the family; random, so that it does not follow from anything else. */
  readonly selector: Buffer;
  /** 1 for the login's, one more at each refresh. */
  readonly generation: number;
  readonly verifierHash: Buffer;
}

export interface IssuedRefreshCredential extends RefreshCredential {
  /** What the client keeps; a secret. */
  readonly value: string;
}

export interface RefreshCredentials {
  /** Makes the credential of a generation; without a selector that of a new family. */
  issue(generation: number, selector?: Buffer): IssuedRefreshCredential;
  /** Reads a credential; undefined unless the text is, to the letter, one that this service has issued. */
  parse(value: string): RefreshCredential | undefined;
}

const SELECTOR_BYTES = 16;
const VERIFIER_BYTES = 32;
const FORM = /^([\w-]{22})\.([1-9]\d{0,8})\.([\w-]{43})\.([\w-]{43})$/;

/** The selector of a new family. */
export function newSelector(): Buffer {
  return randomBytes(SELECTOR_BYTES);
}

/** @param tagKey 32 random bytes that every process of the deployment shares. */
export function createRefreshCredentials(tagKey: Uint8Array): RefreshCredentials {
  const tagOf = (text: string) => createHmac('sha256', tagKey).update(text).digest();

  return {
    issue(generation, selector = newSelector()) {
      const verifier = randomBytes(VERIFIER_BYTES);
      const body = `${selector.toString('base64url')}.${generation}.${verifier.toString('base64url')}`;
      const value = `${body}.${tagOf(body).toString('base64url')}`;
      return { value, selector, generation, verifierHash: hashOf(verifier) };
    },
    parse(value) {
      const parts = FORM.exec(value);
      if (!parts) return undefined;
      const [, selectorText, generationText, verifierText, tagText] = parts as unknown as [
        string,
        string,
        string,
        string,
        string,
      ];
      const tag = decodeBase64(tagText, 'base64url');
      const selector = decodeBase64(selectorText, 'base64url');
      const verifier = decodeBase64(verifierText, 'base64url');
      if (!tag || !selector || !verifier) return undefined;
      if (!timingSafeEqual(tag, tagOf(value.slice(0, value.lastIndexOf('.'))))) return undefined;
      return { selector, generation: Number(generationText), verifierHash: hashOf(verifier) };
    },
  };
}

function hashOf(verifier: Buffer): Buffer {
  return hash('sha256', verifier, 'buffer');
}
