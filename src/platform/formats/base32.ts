const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS_PER_CHARACTER = 5;

/** Encodes bytes in base32 (RFC 4648 section 6) without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let buffered = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffered = (buffered << 8) | byte;
    for (bits += 8; bits >= BITS_PER_CHARACTER; bits -= BITS_PER_CHARACTER)
      text += ALPHABET[(buffered >> (bits - BITS_PER_CHARACTER)) & 0x1f];
    buffered &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(buffered << (BITS_PER_CHARACTER - bits)) & 0x1f];
}

/** Decodes base32 without padding. The text must be one that toBase32 has returned. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) => ALPHABET.indexOf(character).toString(2).padStart(BITS_PER_CHARACTER, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
