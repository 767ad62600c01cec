// Codecs of the messages of a module, from its descriptors. Messages are as ts-proto represents them, like those of this project.
import {
  create,
  fromBinary,
  ScalarType,
  toBinary,
  type DescField,
  type DescMessage,
  type DescService,
} from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate, type Timestamp } from '@bufbuild/protobuf/wkt';
import type { MethodDefinition, ServiceDefinition } from '../types.ts';
import { emptyMessage, hasPresence, isMask } from './values.ts';

type Plain = Readonly<Record<string, unknown>>;

/** Returns the definition of a service, like those that ts-proto generates. */
export function serviceDefinition({ methods, typeName }: DescService): ServiceDefinition {
  return Object.fromEntries(
    methods.map(({ name, localName, methodKind, input, output }): [string, MethodDefinition] => [
      localName,
      {
        path: `/${typeName}/${name}`,
        requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
        responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
        requestSerialize: encoder(input),
        requestDeserialize: decoder(input),
        responseSerialize: encoder(output),
        responseDeserialize: decoder(output),
      },
    ]),
  );
}

function encoder(type: DescMessage): (message: Plain) => Buffer {
  return (message) => Buffer.from(toBinary(type, create(type, toInit(type, message))));
}

function decoder(type: DescMessage): (bytes: Buffer) => Plain {
  return (bytes) => toPlain(type, fromBinary(type, bytes));
}

function toPlain(type: DescMessage, message: Plain): Plain {
  const plain: Record<string, unknown> = { ...emptyMessage(type) };
  for (const field of type.fields) {
    const key = field.localName;
    if (field.oneof) {
      const part = message[field.oneof.localName] as { readonly case?: string; readonly value?: unknown };
      if (part.case === key) plain[field.oneof.localName] = { $case: key, value: valueToPlain(field, part.value) };
      continue;
    }
    const value = message[key];
    if (value === undefined) continue;
    plain[key] = convertEach(field, value, valueToPlain);
  }
  for (const field of type.fields) if (!field.oneof && hasPresence(field)) plain[field.localName] ??= undefined;
  return plain;
}

/** Converts a value, each item of a list, or each value of a map. */
function convertEach(field: DescField, value: unknown, convert: (field: DescField, one: unknown) => unknown): unknown {
  if (field.fieldKind === 'list') return (value as readonly unknown[]).map((one) => convert(field, one));
  if (field.fieldKind !== 'map') return convert(field, value);
  return Object.fromEntries(Object.entries(value as Plain).map(([key, one]) => [key, convert(field, one)]));
}

function valueToPlain(field: DescField, value: unknown): unknown {
  if (isMask(field)) return (value as { readonly paths: readonly string[] }).paths;
  if (field.message?.typeName === 'google.protobuf.Timestamp') return timestampDate(value as Timestamp);
  if (field.message) return toPlain(field.message, value as Plain);
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** Returns the initial values of a message of @bufbuild/protobuf. */
function toInit(type: DescMessage, plain: Plain): Plain {
  const init: Record<string, unknown> = {};
  for (const field of type.fields) {
    const key = field.localName;
    if (field.oneof) {
      const part = plain[field.oneof.localName] as { readonly $case: string; readonly value: unknown } | undefined;
      if (part?.$case === key) init[field.oneof.localName] = { case: key, value: valueToInit(field, part.value) };
      continue;
    }
    const value = plain[key];
    if (value === undefined || value === null) continue;
    init[key] = convertEach(field, value, valueToInit);
  }
  return init;
}

const WIDE: ReadonlySet<ScalarType | undefined> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);

function valueToInit(field: DescField, value: unknown): unknown {
  if (isMask(field)) return { paths: value };
  if (field.message?.typeName === 'google.protobuf.Timestamp') return timestampFromDate(value as Date);
  if (field.message) return create(field.message, toInit(field.message, value as Plain));
  return WIDE.has(field.scalar) ? BigInt(value as number) : value;
}
