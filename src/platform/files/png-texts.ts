// Measures the compressed texts of a PNG. Before the pixels, the decoder decompresses each text, to up to a thousand
// times its size. It cannot be interrupted.
import type { FileHandle } from 'node:fs/promises';

const SIGNATURE_BYTES = 8;
/** Bytes of a chunk around its data: length and type before it, checksum after it. */
const PREFIX_BYTES = 8;
const CHECKSUM_BYTES = 4;
/** The bytes of a chunk to read: a keyword of at most 79 bytes, its terminator, and the compression flag. */
const HEAD_BYTES = PREFIX_BYTES + 81;
const BLOCK_BYTES = 65_536;

/** Returns the total size of all compressed texts in a PNG file, in bytes. */
export async function compressedTextBytes(file: FileHandle): Promise<number> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let block = buffer.subarray(0, 0);
  let blockAt = 0;
  let total = 0;
  for (let at = SIGNATURE_BYTES; ;) {
    if (at + HEAD_BYTES > blockAt + block.length) {
      const { bytesRead } = await file.read(buffer, 0, BLOCK_BYTES, at);
      block = buffer.subarray(0, bytesRead);
      blockAt = at;
    }
    const head = block.subarray(at - blockAt, at - blockAt + HEAD_BYTES);
    if (head.length < PREFIX_BYTES) return total;
    const length = head.readUInt32BE(0);
    if (isCompressedText(head)) total += length;
    at += PREFIX_BYTES + length + CHECKSUM_BYTES;
  }
}

function isCompressedText(head: Buffer): boolean {
  const type = head.toString('latin1', 4, PREFIX_BYTES);
  if (type === 'zTXt') return true;
  if (type !== 'iTXt') return false;
  const keywordEnd = head.indexOf(0, PREFIX_BYTES);
  return keywordEnd === -1 || head[keywordEnd + 1] !== 0;
}
