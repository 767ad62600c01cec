import type { PresentedRefreshToken, TransportPolicy } from './transport-policy.ts';

/** A refresh token that this service has issued, and its text. */
export interface PresentedValue {
  readonly token: PresentedRefreshToken;
  readonly value: string;
}

/**
 * Returns the different tokens that this service has issued. The others are ignored: another host of the same site can
 * set cookies of this name (RFC 6265 section 8.6).
 */
export async function issuedAmong(
  transport: Pick<TransportPolicy, 'parse'>,
  values: readonly string[],
): Promise<PresentedValue[]> {
  const issued: PresentedValue[] = [];
  for (const value of new Set(values)) {
    const token = await transport.parse(value);
    if (token) issued.push({ token, value });
  }
  return issued;
}
