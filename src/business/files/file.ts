import { fieldRule } from '../../rpc/field-rule.ts';

/** What is known of stored bytes. */
export interface FileContent {
  /** By the bytes themselves where they are an image, else as declared. */
  readonly contentType: string;
  /** In bytes, as stored. */
  readonly size: number;
  /** Of the stored bytes. */
  readonly sha256: Buffer;
  readonly fileName: string;
  /** Names the bytes in the store. */
  readonly objectKey: string;
}

/** Names a staged file, in whatever words a caller sent. */
export interface FileName {
  readonly date: string;
  readonly uuid: string;
}

/** A file that belongs to no record yet. */
export interface StagedFile {
  /** UUIDv7. */
  readonly id: string;
  readonly tenantId: string;
  /** The day it was prepared, YYYY-MM-DD in UTC. */
  readonly date: string;
  readonly fileName: string;
  /** A media type. */
  readonly declaredType: string;
  /** In bytes. */
  readonly declaredSize: number;
  /** Undefined until something was uploaded. */
  readonly content: FileContent | undefined;
  /** Account id. */
  readonly createdBy: string;
  /** Unix milliseconds, like all times here. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An image that belongs to a record, as its list shows it. */
export interface Image {
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
}

/** What images can belong to; orders have two kinds of them. */
export type OwnerKind = 'product' | 'order-production' | 'order-delivery';

/** What the images of a list belong to. */
export interface Owner {
  readonly kind: OwnerKind;
  /** Of the product or the order. */
  readonly id: string;
}

/** Most images that a record can have of a kind. */
export const { items: MAX_IMAGES } = fieldRule('authservice.business.v1.ProductFields.images');

/** For how long a file stays staged, in milliseconds. */
export const STAGED_FOR_MS = 86_400_000;

/** The day of a time in UTC, YYYY-MM-DD. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
