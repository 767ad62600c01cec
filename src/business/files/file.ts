import { fieldRule } from '../../platform/rpc/field-rule.ts';
import type { FileContent as ContentMessage } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile as NameMessage } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { ReceivedContent } from './received-content.ts';

/** The metadata of stored bytes. */
export interface FileContent {
  /** Detected from the bytes if they are an image, else as declared. */
  readonly contentType: string;
  /** In bytes, as stored. */
  readonly size: number;
  /** SHA-256 of the stored bytes. */
  readonly sha256: Buffer;
  readonly fileName: string;
  /** The key of the bytes in the store. */
  readonly objectKey: string;
}

/** The unchecked name of a staged file, as the caller sent it. */
export interface FileName {
  readonly date: string;
  readonly uuid: string;
}

/** A staged file: it does not belong to a record yet. */
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
  /** Undefined until content is uploaded. */
  readonly content: FileContent | undefined;
  /** Account id. */
  readonly createdBy: string;
  /** Unix milliseconds, like all times in this interface. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An image that belongs to a record, as its list shows it. */
export interface Image {
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
}

/** The kinds of owners of images; orders have two kinds of images. */
export type OwnerKind = 'product' | 'order-production' | 'order-delivery';

/** The owner of a list of images. */
export interface Owner {
  readonly kind: OwnerKind;
  /** Id of the product or the order. */
  readonly id: string;
}

/** Maximum number of images of one kind on a record. */
export const { items: MAX_IMAGES } = fieldRule('authservice.business.v1.ProductFields.images');

/** How long a file stays staged, in milliseconds. */
export const STAGED_FOR_MS = 86_400_000;

/** Returns the day of a time in UTC, YYYY-MM-DD. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Converts stored content to its proto message. The object key stays internal. */
export function contentMessage({ contentType, size, sha256, fileName }: FileContent): ContentMessage {
  return { contentType, size, sha256, fileName };
}

/** Returns the name of a staged file. */
export function fileNameMessage({ date, id }: Pick<StagedFile, 'date' | 'id'>): NameMessage {
  return { date, uuid: id };
}

/** Converts the received content to the response's proto message. */
export function receivedMembers({ size, sha256 }: ReceivedContent) {
  return { receivedSize: size, receivedSha256: sha256 };
}
