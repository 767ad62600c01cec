// The text of a challenge: its id and 256 random bits, of which only the SHA-256 is stored. Pure functions, except newChallenge.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '../../platform/formats/base64.ts';
import { isId, newId } from '../../platform/db/ids.ts';
import { MAX_TRIES, type StoredChallenge } from './challenge-store.ts';

export const CHALLENGE_LIFETIME_MS = 300_000;

const SECRET_BYTES = 32;

/** A challenge as a client presents it. */
export interface PresentedChallenge {
  readonly id: string;
  readonly secretHash: Buffer;
}

/** Creates a challenge: the text for the client, and the values to store. */
export function newChallenge(
  now: number,
): PresentedChallenge & Pick<StoredChallenge, 'createdAt' | 'expiresAt'> & { readonly text: string } {
  const id = newId();
  const secret = randomBytes(SECRET_BYTES);
  return {
    id,
    secretHash: hash('sha256', secret, 'buffer'),
    createdAt: now,
    expiresAt: now + CHALLENGE_LIFETIME_MS,
    text: `${id}.${secret.toString('base64url')}`,
  };
}

/** Parses the text of a challenge. Returns undefined for any other text. */
export function parseChallenge(text: string): PresentedChallenge | undefined {
  const [id, encoded = '', ...rest] = text.split('.');
  const secret = decodeBase64(encoded, 'base64url');
  if (!isId(id) || secret?.length !== SECRET_BYTES || rest.length > 0) return undefined;
  return { id, secretHash: hash('sha256', secret, 'buffer') };
}

/** The request that answers a challenge. */
interface Answer {
  readonly transport: string;
  readonly origin: string | undefined;
  readonly now: number;
}

/** Returns why a challenge cannot be answered; undefined if it can. */
export function findChallengeFault(
  stored: StoredChallenge | undefined,
  presented: PresentedChallenge,
  { transport, origin, now }: Answer,
): string | undefined {
  if (!stored || !timingSafeEqual(stored.secretHash, presented.secretHash))
    return 'the challenge is unknown or has ended';
  return FAULTS.find(([isBroken]) => isBroken(stored, { transport, origin, now }))?.[1];
}

const FAULTS: readonly (readonly [(stored: StoredChallenge, answer: Answer) => boolean, string])[] = [
  [({ usedAt }) => usedAt !== undefined, 'the challenge was used before'],
  [({ expiresAt }, { now }) => expiresAt <= now, 'the challenge has expired'],
  [({ tries }) => tries >= MAX_TRIES, 'all tries of the challenge are spent'],
  [(stored, { origin }) => stored.origin !== origin, 'the challenge belongs to another browser origin'],
  [(stored, { transport }) => stored.transport !== transport, 'the challenge belongs to another profile'],
];
