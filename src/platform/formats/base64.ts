/**
 * Decodes base64 or base64url strictly (RFC 4648 section 3.5). Returns undefined for invalid characters, missing or
 * excess padding, or non-zero unused bits in the last character. Node's decoder accepts all of these, so that one value
 * has many encodings.
 */
export function decodeBase64(text: string, encoding: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
