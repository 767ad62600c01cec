// The parsed protos of a module, as @grpc/proto-loader returns them.
import type { JsonValue } from '@bufbuild/protobuf';

/** A declaration. Only the members that load-protos.ts reads. */
export interface Parsed {
  readonly name: string;
  readonly fullName: string;
  readonly filename: string | null;
  readonly comment: string | null;
  readonly parent: Parsed | null;
  readonly parsedOptions?: readonly Readonly<Record<string, JsonValue>>[];
  readonly nestedArray?: readonly Parsed[];
}
export interface ParsedType extends Parsed {
  readonly fieldsArray: readonly ParsedField[];
  readonly oneofsArray: readonly (Parsed & { readonly fieldsArray: readonly ParsedField[] })[];
}
export interface ParsedField extends Parsed {
  readonly id: number;
  readonly type: string;
  readonly map: boolean;
  /** Only of a map. */
  readonly keyType?: string;
  readonly repeated: boolean;
  readonly resolvedType: Parsed | null;
  readonly partOf: Parsed | null;
  readonly options?: { readonly proto3_optional?: boolean };
}

/** The scalar types that rules, REST and codecs support. */
const SCALARS = ['string', 'bytes', 'bool', 'int32', 'int64'];
/** The messages of google.protobuf that are one value. */
const VALUES = ['.google.protobuf.Timestamp', '.google.protobuf.FieldMask'];

export interface ParsedEnum extends Parsed {
  readonly values: Readonly<Record<string, number>>;
}
export interface ParsedMethod extends Parsed {
  readonly requestStream?: boolean;
  readonly responseStream?: boolean;
  readonly resolvedRequestType: Parsed;
  readonly resolvedResponseType: Parsed;
}
export interface ParsedService extends Parsed {
  readonly methodsArray: readonly ParsedMethod[];
}

/** Returns the name of a field in JSON. */
export function jsonNameOf({ name }: Parsed): string {
  return name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}

/** The name that the specification gives to the entries of a map: `PricesEntry` for `prices`. */
export function entryName(field: Parsed): string {
  const name = jsonNameOf(field);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Entry`;
}

/** Throws if a type has no checks, or no representation in JSON. */
export function assertSupported({ type, keyType, resolvedType, repeated, map }: ParsedField, name: string): void {
  const fail = (problem: string) => {
    throw new Error(`${name}: ${problem}`);
  };
  if (map && keyType !== 'string') fail(`keys of the type ${keyType} are not supported; use string`);
  if (resolvedType === null) {
    if (!SCALARS.includes(type)) fail(`the type ${type} is not supported; use one of ${SCALARS.join(', ')}`);
  } else if (resolvedType.fullName.startsWith('.google.protobuf.')) {
    if (!VALUES.includes(resolvedType.fullName)) fail(`the type ${type} is not supported; use a message of the module`);
    if (repeated || map) fail(`lists and maps of ${type} are not supported; put it into a message`);
  }
}
