// Refresh tokens of applications: `selector.generation.mac`. The MAC authenticates the other parts, so forged tokens are refused
// without a query, and the token of a generation can be given again: it is computed from the selector and the generation.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '../../../platform/formats/base64.ts';

/** A refresh token that this service has issued. */
export interface PresentedToken {
  readonly selector: Buffer;
  /** From 1. */
  readonly generation: number;
}

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

const SELECTOR_BYTES = 16;
const FORMAT = /^([\w-]{22})\.([1-9]\d{0,8})\.([\w-]{43})$/;

export const newSelector = (): Buffer => randomBytes(SELECTOR_BYTES);

/** @param macKey 32 random bytes, shared by all processes of the deployment. */
export function createRefreshTokens(macKey: Uint8Array) {
  const macOf = (text: string) => createHmac('sha256', macKey).update(text).digest();
  return {
    /** Returns the token of a generation: always the same one. */
    issue({ selector, generation }: PresentedToken): string {
      const body = `${selector.toString('base64url')}.${generation}`;
      return `${body}.${macOf(body).toString('base64url')}`;
    },
    /** Parses a token. Returns undefined unless the text is exactly a token that this service has issued. */
    parse(token: string): PresentedToken | undefined {
      const [, selectorText, generation, macText] = FORMAT.exec(token) ?? [];
      if (selectorText === undefined) return undefined;
      const selector = decodeBase64(selectorText, 'base64url');
      const mac = decodeBase64(macText!, 'base64url');
      if (!selector || !mac || !timingSafeEqual(mac, macOf(token.slice(0, token.lastIndexOf('.'))))) return undefined;
      return { selector, generation: Number(generation) };
    },
  };
}
