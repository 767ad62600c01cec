// Parses and checks the Content-Digest field (RFC 9530): a dictionary of byte sequences (RFC 9651 section 3.2).
import { ServiceError, type Violation } from '../../platform/errors.ts';

/** The supported algorithms. RFC 9530 section 5 lists no other secure ones. Digests of other algorithms are ignored. */
const DIGEST_ALGORITHMS = ['sha-256', 'sha-512'] as const;
export type DigestAlgorithm = (typeof DIGEST_ALGORITHMS)[number];

/** The expected hashes of the content, by algorithm. */
export type ContentDigests = ReadonlyMap<DigestAlgorithm, Buffer>;

const MAX_CHARACTERS = 1_024;
const KEY = '[a-z*][a-z0-9_.*-]*';
const BYTES = ':(?<value>[A-Za-z0-9+/]*={0,2}):';
const BARE_ITEM = [
  String.raw`-?\d{1,12}\.\d{1,3}`,
  String.raw`@?-?\d{1,15}`,
  String.raw`%?"(?:[ !#-\[\]-~]|\\["\\])*"`,
  "[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*",
  ':[A-Za-z0-9+/]*={0,2}:',
  String.raw`\?[01]`,
].join('|');
const MEMBER = new RegExp(`(?<key>${KEY})=${BYTES}(?:; *${KEY}(?:=(?:${BARE_ITEM}))?)*`, 'y');
const COMMA = /[ \t]*,[ \t]*/y;

/** Parses the field's value. Throws VALIDATION_ERROR. */
export function parseContentDigest(field: string): ContentDigests {
  if (field.length > MAX_CHARACTERS) throw refused('is too long', { maximum: MAX_CHARACTERS });
  const digests = new Map<DigestAlgorithm, Buffer>();
  const text = field.replace(/^ +| +$/g, '');
  for (let at = 0; text !== '' && at <= text.length;) {
    const member = matchAt(MEMBER, text, at)?.groups;
    if (!member) throw refused('must be a dictionary of byte sequences, for example sha-256=:base64:');
    const algorithm = DIGEST_ALGORITHMS.find((name) => name === member['key']);
    // Of several members with one key the last one counts (RFC 9651 section 3.2).
    if (algorithm) digests.set(algorithm, Buffer.from(member['value']!, 'base64'));
    at = MEMBER.lastIndex;
    if (at === text.length) break;
    if (!matchAt(COMMA, text, at)) throw refused('must have commas between its members');
    at = COMMA.lastIndex;
  }
  return digests;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Throws VALIDATION_ERROR if the hash of the content differs from its digest. */
export function checkDigests(expected: ContentDigests, hashes: ReadonlyMap<DigestAlgorithm, Uint8Array>): void {
  for (const [algorithm, digest] of expected) {
    const hash = hashes.get(algorithm);
    if (!hash || !digest.equals(hash)) throw refused('does not match the content that was received', { algorithm });
  }
}

function refused(message: string, params: Violation['params'] = {}): ServiceError {
  const violation = { message, format: 'content-digest', props: ['Content-Digest'], params };
  return new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The digest of the content is wrong',
    violations: [violation],
  });
}
