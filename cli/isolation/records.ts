// The records of a tenant, by what requests name them with.
import { randomBytes, randomInt } from 'node:crypto';
import type { StagedFile } from '../../proto/gen/authservice/business/v1/record.ts';

/** One record of each kind. */
export interface Records {
  /** The tenant itself: a slug. */
  readonly tenant: string;
  /** The account that made all of this. */
  readonly administrator: string;
  readonly user: string;
  /** An open session of the user. */
  readonly session: string;
  readonly serviceAccount: string;
  /** A client secret of the service account. */
  readonly secret: string;
  /** An API key of the service account, by its id. */
  readonly key: string;
  /** Its stock is low, and where there are files it has an image. */
  readonly product: string;
  /** It has a note and orders. */
  readonly customer: string;
  /** Of the customer and the product; NEW. */
  readonly order: string;
  /** The same, delivered, with a photo of each kind. */
  readonly photographedOrder: string;
  /** A staged file with content. */
  readonly file: StagedFile;
  /** The customer's telephone number. */
  readonly phone: string;
  /** A text that stands in names and notes of these records and nowhere else. */
  readonly mark: string;
}

export type Kind = keyof Records;

/** Records as far as there are any. */
export type Known = { readonly [Name in Kind]?: Records[Name] };

/** The records of two tenants. */
export interface Sides {
  /** Of the tenant that asks. */
  readonly own: Known;
  /** Of the tenant that it asks about. */
  readonly foreign: Known;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** Random lower-case letters, or digits. */
export function randomText(length: number, from: string = LETTERS): string {
  return Array.from({ length }, () => from[randomInt(from.length)]).join('');
}

/** Names under which there is nothing, each as long as the real one and spelt like it. */
export function missingLike({ file, ...texts }: Known): Known {
  return {
    ...Object.fromEntries(Object.entries(texts).map(([kind, text]) => [kind, unlike(text)])),
    ...(file && { file: { date: file.date, uuid: unlike(file.uuid) } }),
  };
}

function unlike(text: string): string {
  if (ID.test(text)) return text.slice(0, -12) + randomBytes(6).toString('hex');
  return text.replaceAll(/[a-z]/gi, () => randomText(1)).replaceAll(/\d/g, () => randomText(1, DIGITS));
}

/** A telephone number that nobody has. */
export function randomPhone(): string {
  return `+49 30 ${randomText(12, DIGITS)}`;
}

/** The e-mail address of the customer, and the user's login name. */
export function emailOf(mark: string): string {
  return `${mark}@isolation.invalid`;
}

/** What stands for a record in the text of an answer. */
export function spelling(known: Known, kind: Kind): string | undefined {
  const named = known[kind];
  return typeof named === 'object' ? named.uuid : named;
}

/** The text with the names of some records replaced by their kinds, so that it can be compared with one about others. */
export function anonymous(text: string, known: Known, kinds: readonly Kind[]): string {
  const named = kinds.flatMap((kind) => {
    const spelt = spelling(known, kind);
    return spelt === undefined ? [] : [[kind, spelt] as const];
  });
  // A name may contain another.
  const longestFirst = named.toSorted(([, one], [, other]) => other.length - one.length);
  return longestFirst.reduce((replaced, [kind, spelt]) => replaced.replaceAll(spelt, `<${kind}>`), text);
}
