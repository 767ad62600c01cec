import { fieldRule } from '../../platform/rpc/field-rule.ts';
import type { FileContent as ContentMessage } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile as NameMessage } from '../../../proto/gen/authservice/business/v1/record.ts';
import { type Column, exactText, id, integer, optional, tenant, text, time } from '../../platform/db/columns.ts';
import { type ValuesOf, defineRecord } from '../../platform/db/record.ts';
import type { ReceivedContent } from './received-content.ts';

const FIXED = {
  /** UUIDv7. */
  id: id('id'),
  tenantId: tenant('tenant_id'),
  /** The day it was prepared, YYYY-MM-DD in UTC. */
  date: exactText('date'),
  fileName: text('file_name'),
  /** A media type. */
  declaredType: text('declared_type'),
  /** In bytes. */
  declaredSize: integer('declared_size'),
  /** Account id. */
  createdBy: id('created_by'),
  createdAt: time('created_at'),
  /** Undefined if a record owns the file. Otherwise the file is staged. */
  expiresAt: optional(time('expires_at')),
};

const sha256: Column<Buffer> = { name: 'sha256', fromSql: (stored: Uint8Array) => Buffer.from(stored) };

/** The stored bytes. A file has none until content is uploaded. */
const STORED = {
  /** Detected from the bytes if they are an image, else as declared. */
  contentType: optional(text('content_type')),
  /** In bytes, as stored. */
  size: optional(integer('size')),
  /** SHA-256 of the stored bytes. */
  sha256: optional(sha256),
  /** The key of the bytes in the store. */
  objectKey: optional(exactText('object_key')),
};

export const FILE = defineRecord('files', { fixed: FIXED, fields: STORED });
export type File = ValuesOf<typeof FIXED & typeof STORED>;

/** The metadata of stored bytes. */
export type FileContent = Pick<File, 'fileName'> & {
  readonly [Member in keyof typeof STORED]: NonNullable<File[Member]>;
};

/** Whether content was uploaded. */
export function hasContent(file: File): file is File & FileContent {
  return file.objectKey !== undefined;
}

/** The unchecked name of a staged file, as the caller sent it. */
export interface FileName {
  readonly date: string;
  readonly uuid: string;
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
export function fileNameMessage({ date, id }: Pick<File, 'date' | 'id'>): NameMessage {
  return { date, uuid: id };
}

/** Converts the received content to the response's proto message. */
export function receivedMembers({ size, sha256 }: ReceivedContent) {
  return { receivedSize: size, receivedSha256: sha256 };
}
