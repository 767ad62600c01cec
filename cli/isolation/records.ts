// The records of a tenant, by their ids in requests.
import { randomBytes, randomInt } from 'node:crypto';
import type { StagedFile } from '../../proto/gen/authservice/business/v1/record.ts';

/** One record of each kind. */
export interface Records {
  /** The tenant's id, a slug. */
  readonly tenant: string;
  /** The account that created the records. */
  readonly administrator: string;
  /** An access token of the administrator. */
  readonly token: string;
  readonly user: string;
  /** A session of the user. */
  readonly session: string;
  /** An audit record of the user. */
  readonly auditRecord: string;
  readonly serviceAccount: string;
  readonly clientId: string;
  /** Id of a client secret of the service account. */
  readonly secret: string;
  /** The value of the client secret. */
  readonly clientSecret: string;
  /** Id of an API key of the service account. If API keys are switched off, the id of the service account, which names none. */
  readonly key: string;
  /** A passkey of the user. The check cannot create one: it sends a new id, which names none. */
  readonly passkey: string;
  /** The name of a role of the tenant's own. */
  readonly role: string;
  readonly webhook: string;
  /** A web application. */
  readonly application: string;
  /** Id of a client secret of the application. */
  readonly applicationSecret: string;
  /** An authorization request of the application that waits for a user. Its id is a secret. */
  readonly authorizationRequest: string;
  /** The code of a device of the application that waits for a user. It is a secret. */
  readonly deviceUserCode: string;
  /** A grant of the administrator to the application. */
  readonly grant: string;
  /** A delivery of the webhook. */
  readonly delivery: string;
  /** A product with low stock, and with an image if files could be created. */
  readonly product: string;
  /** A customer with a note and orders. */
  readonly customer: string;
  /** An order of the customer for the product, with status NEW. */
  readonly order: string;
  /** A delivered order of the customer for the product, with a photo of each kind. */
  readonly photographedOrder: string;
  /** A staged file with content. */
  readonly file: StagedFile;
  /** The customer's telephone number. */
  readonly phone: string;
  /** A text that occurs only in names and notes of these records. */
  readonly mark: string;
  /** The id of a record of a module outside this project, by the path of its collection below `/api/v1`. */
  readonly [collection: `/${string}`]: string;
}

export type Kind = keyof Records;

/** The records that could be created. */
export type PartialRecords = { readonly [Name in Kind]?: Records[Name] };

/** The records of two tenants. */
export interface TenantRecords {
  /** Records of the caller's tenant. */
  readonly own: PartialRecords;
  /** Records of the other tenant. */
  readonly foreign: PartialRecords;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** Returns a random text of the given characters. Default: lower-case letters. */
export function randomText(length: number, from: string = LETTERS): string {
  return Array.from({ length }, () => from[randomInt(from.length)]).join('');
}

/** Returns ids of missing records. Each has the length and the format of the given id. */
export function missingLike({ file, ...texts }: PartialRecords): PartialRecords {
  return {
    ...Object.fromEntries(Object.entries(texts).map(([kind, text]) => [kind, randomize(text!)])),
    ...(file && { file: { date: file.date, uuid: randomize(file.uuid) } }),
  };
}

function randomize(text: string): string {
  if (ID.test(text)) return text.slice(0, -12) + randomBytes(6).toString('hex');
  return text
    .replaceAll(/[a-z]/g, () => randomText(1))
    .replaceAll(/[A-Z]/g, () => randomText(1).toUpperCase())
    .replaceAll(/\d/g, () => randomText(1, DIGITS));
}

/** Returns a random telephone number, which no customer has. */
export function randomPhone(): string {
  return `+49 30 ${randomText(12, DIGITS)}`;
}

/** Returns the e-mail address of the customer, which is also the username of the user. */
export function emailOf(mark: string): string {
  return `${mark}@isolation.invalid`;
}

/** Returns the text that identifies a record in a response. */
export function toText(known: PartialRecords, kind: Kind): string | undefined {
  const named = known[kind];
  return typeof named === 'object' ? named.uuid : named;
}

/** Replaces the ids of records by their kinds, so that responses about different records can be compared. */
export function anonymize(text: string, known: PartialRecords, kinds: readonly Kind[]): string {
  const named = kinds.flatMap((kind) => {
    const id = toText(known, kind);
    return id === undefined ? [] : [[kind, id] as const];
  });
  // An id may contain another id.
  const longestFirst = named.toSorted(([, one], [, other]) => other.length - one.length);
  return longestFirst.reduce((replaced, [kind, id]) => replaced.replaceAll(id, `<${kind}>`), text);
}
