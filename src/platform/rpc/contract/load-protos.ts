// The protos of a module, read from its folder at the start. So a module needs no generated code.
import { createRequire } from 'node:module';
import { existsSync, globSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  create,
  fromJson,
  type DescExtension,
  type DescMessage,
  type FileRegistry,
  type JsonObject,
  type JsonValue,
  type Message,
  setExtension,
} from '@bufbuild/protobuf';
import type { GenExtension } from '@bufbuild/protobuf/codegenv2';
import {
  DescriptorProtoSchema,
  EnumDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as FieldType,
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  MessageOptionsSchema,
  MethodDescriptorProtoSchema,
  MethodOptions_IdempotencyLevel as Level,
  MethodOptionsSchema,
  ServiceDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';

import {
  assertSupported,
  entryName,
  jsonNameOf,
  type Parsed,
  type ParsedEnum,
  type ParsedField,
  type ParsedService,
  type ParsedType,
} from './parsed-protos.ts';

/** Folders of this project's protos, which a module can import. */
const INCLUDED = ['proto', 'third_party'].map((name) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url)));

/** The protos of the options, which every file of a module imports. */
const OPTIONS = ['access/v1/access', 'error/v1/reason', 'rest/v1/rest', 'rule/v1/rule']
  .map((name) => `authservice/${name}.proto`)
  .concat('google/api/annotations.proto');

/** The protos of a folder. */
export interface LoadedProtos {
  /** In an order in which imported files come first. */
  readonly files: readonly FileDescriptorProto[];
  /** The comments by names such as `invoices.v1.InvoiceService/GetInvoice`, each on one line. */
  readonly comments: Readonly<Record<string, string>>;
}

/**
 * Reads all protos of a folder. They can import each other and the protos of this project. Throws if one cannot be parsed, has
 * an unknown option, or has a package of this project.
 */
export function loadProtos(folder: string, registry: FileRegistry): LoadedProtos {
  const paths = existsSync(folder) ? globSync('**/*.proto', { cwd: folder }).toSorted() : [];
  if (paths.length === 0) throw new Error(`${folder} has no *.proto`);
  const root = parse(
    paths.map((path) => join(folder, path)),
    [folder, ...INCLUDED],
  );
  const comments: Record<string, string> = {};
  const declared = declarationsOf(root);
  const files = paths.map((path) => {
    const own = declared.filter(({ filename }) => filename === join(folder, path));
    const inPackage = own[0]?.parent?.fullName.slice(1) ?? '';
    if (inPackage === '') throw new Error(`${path} declares nothing, or no package`);
    if ([...registry.files].some(({ proto }) => proto.package === inPackage))
      throw new Error(`${path}: the package ${inPackage} is that of other protos; choose another`);
    return fileOf({ path, inPackage, own, declared, folder, registry, comments });
  });
  return { files: inOrder(files), comments };
}

/** Parses files with the parser of proto-loader, whose own function for this is private. */
function parse(files: string[], includedFolders: readonly string[]): Parsed {
  // Loaded here because only a service with modules needs it. It also adds google/protobuf/descriptor.proto and others to the parser.
  const requireHere = createRequire(import.meta.url);
  requireHere('@grpc/proto-loader');
  const requireOfLoader = createRequire(requireHere.resolve('@grpc/proto-loader'));
  const { Root } = requireOfLoader('protobufjs') as typeof import('protobufjs');
  const root = new Root();
  const resolve = root.resolvePath.bind(root);
  root.resolvePath = (origin, target) => {
    if (isAbsolute(target)) return target;
    const found = includedFolders.map((folder) => join(folder, target)).find((path) => existsSync(path));
    return found ?? resolve(origin, target);
  };
  return root.loadSync(files, { keepCase: true, alternateCommentMode: true }).resolveAll() as unknown as Parsed;
}

/** Returns all top-level messages, enums and services. */
function declarationsOf(parsed: Parsed): Parsed[] {
  const isNamespace = !('fieldsArray' in parsed || 'values' in parsed || 'methodsArray' in parsed);
  return isNamespace ? (parsed.nestedArray ?? []).flatMap(declarationsOf) : [parsed];
}

interface FileInput {
  readonly path: string;
  readonly inPackage: string;
  readonly own: readonly Parsed[];
  readonly declared: readonly Parsed[];
  readonly folder: string;
  readonly registry: FileRegistry;
  readonly comments: Record<string, string>;
}

function fileOf({ path, inPackage, own, folder, registry, comments }: FileInput): FileDescriptorProto {
  const imported = new Set(OPTIONS);

  const comment = (name: string, { comment: text }: Pick<Parsed, 'comment'>): void => {
    if (text) comments[name.replace(/^\./, '')] = text.trim().replaceAll(/\s*\n\s*/g, ' ');
  };
  const typeName = (type: Parsed): string => {
    const known = registry.get(type.fullName.slice(1));
    const file = known && 'file' in known ? known.file.proto.name : type.filename?.slice(folder.length + 1);
    if (file !== undefined && file !== path) imported.add(file);
    return type.fullName;
  };
  const messageOf = (type: ParsedType): ReturnType<typeof create<typeof DescriptorProtoSchema>> => {
    comment(type.fullName, type);
    const nested = type.nestedArray ?? [];
    const optional = type.fieldsArray.filter(({ options }) => options?.proto3_optional);
    const oneofs = type.oneofsArray.filter(
      ({ fieldsArray }) => !fieldsArray.every((field) => optional.includes(field)),
    );
    const names = [...oneofs.map(({ name }) => name), ...optional.map(({ name }) => `_${name}`)];
    const inner = nested.filter((one): one is ParsedType => 'fieldsArray' in one).map(messageOf);
    return create(DescriptorProtoSchema, {
      name: type.name,
      field: type.fieldsArray.map((field) => fieldOf(field, names)),
      oneofDecl: names.map((name) => ({ name })),
      nestedType: [...inner, ...type.fieldsArray.filter(({ map }) => map).map(entryOf)],
      enumType: nested.filter((one): one is ParsedEnum => 'values' in one).map(enumOf),
    });
  };
  const fieldOf = (field: ParsedField, oneofs: readonly string[]) => {
    const name = `${field.parent!.fullName}.${field.name}`;
    comment(name, field);
    assertSupported(field, name);
    const isOptional = field.options?.proto3_optional === true;
    const oneof = isOptional ? `_${field.name}` : field.partOf?.name;
    const type = field.map
      ? { type: FieldType.MESSAGE, typeName: `${field.parent!.fullName}.${entryName(field)}` }
      : valueTypeOf(field);
    return create(FieldDescriptorProtoSchema, {
      name: field.name,
      jsonName: jsonNameOf(field),
      number: field.id,
      label: field.repeated || field.map ? Label.REPEATED : Label.OPTIONAL,
      ...type,
      ...(oneof !== undefined && { oneofIndex: oneofs.indexOf(oneof) }),
      proto3Optional: isOptional,
      options: withExtensions(create(FieldOptionsSchema), field, registry),
    });
  };
  const valueTypeOf = ({ resolvedType, type }: ParsedField) => {
    if (resolvedType === null) return { type: FieldType[type.toUpperCase() as keyof typeof FieldType] };
    const kind = 'values' in resolvedType ? FieldType.ENUM : FieldType.MESSAGE;
    return { type: kind, typeName: typeName(resolvedType) };
  };
  /** A map is a list of messages with a key and a value. */
  const entryOf = (field: ParsedField) => {
    const member = { label: Label.OPTIONAL };
    const key = { ...member, name: 'key', jsonName: 'key', number: 1, type: FieldType.STRING };
    const value = { ...member, name: 'value', jsonName: 'value', number: 2, ...valueTypeOf(field) };
    return create(DescriptorProtoSchema, {
      name: entryName(field),
      field: [key, value].map((one) => create(FieldDescriptorProtoSchema, one)),
      options: create(MessageOptionsSchema, { mapEntry: true }),
    });
  };
  const enumOf = (type: ParsedEnum) => {
    comment(type.fullName, type);
    const value = Object.entries(type.values).map(([name, number]) => ({ name, number }));
    return create(EnumDescriptorProtoSchema, { name: type.name, value });
  };
  const serviceOf = (service: ParsedService) => {
    comment(service.fullName, service);
    const method = service.methodsArray.map((one) => {
      comment(`${service.fullName}/${one.name}`, one);
      return create(MethodDescriptorProtoSchema, {
        name: one.name,
        inputType: typeName(one.resolvedRequestType),
        outputType: typeName(one.resolvedResponseType),
        clientStreaming: one.requestStream === true,
        serverStreaming: one.responseStream === true,
        options: withExtensions(create(MethodOptionsSchema, levelOf(one)), one, registry),
      });
    });
    return create(ServiceDescriptorProtoSchema, { name: service.name, method });
  };
  const content = {
    messageType: own.filter((one): one is ParsedType => 'fieldsArray' in one).map(messageOf),
    enumType: own.filter((one): one is ParsedEnum => 'values' in one).map(enumOf),
    service: own.filter((one): one is ParsedService => 'methodsArray' in one).map(serviceOf),
  };
  const dependency = [...imported];
  return create(FileDescriptorProtoSchema, {
    name: path,
    package: inPackage,
    syntax: 'proto3',
    dependency,
    ...content,
  });
}

function levelOf({ parsedOptions = [] }: Parsed): { readonly idempotencyLevel?: Level } {
  const name = parsedOptions.map((option) => option['idempotency_level']).find((level) => level !== undefined);
  return name === undefined ? {} : { idempotencyLevel: Level[name as keyof typeof Level] };
}

/** Adds the options in parentheses, such as `(authservice.access.v1.rule)`, to the options of a method or field. */
function withExtensions<Options extends Message>(options: Options, parsed: Parsed, registry: FileRegistry): Options {
  const given = (parsed.parsedOptions ?? []).flatMap((option) => Object.entries(option));
  for (const [key, each] of Map.groupBy(given, ([name]) => name)) {
    const name = /^\((.+)\)$/.exec(key)?.[1];
    if (name === undefined) continue;
    const extension = registry.getExtension(name.replace(/^\./, ''));
    if (extension?.message === undefined) throw new Error(`${parsed.fullName}: unknown option ${key}`);
    const values = each.map(([, value]) => optionValue(extension, value, `${parsed.fullName}: option ${key}`));
    setValue(options, extension, extension.fieldKind === 'list' ? values : values.at(-1));
  }
  return options;
}

/** Sets an option whose type only the registry knows. */
function setValue(options: Message, extension: DescExtension, value: unknown): void {
  setExtension(options, extension as GenExtension, value);
}

function optionValue({ message }: DescExtension, value: JsonValue, place: string): Message {
  try {
    return fromJson(message!, jsonOf(message!, value));
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
  }
}

/** Converts a value of the text format to proto JSON: a repeated field can occur once, without a list. */
function jsonOf(type: DescMessage, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => {
    const field = type.fields.find((one) => one.name === name);
    const inner = field?.message;
    const convert = (one: JsonValue) => (inner ? jsonOf(inner, one) : one);
    if (field?.fieldKind !== 'list') return [name, convert(member)];
    return [name, (Array.isArray(member) ? member : [member]).map(convert)];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** Sorts files so that imported ones come first. */
function inOrder(files: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const sorted = new Set<FileDescriptorProto>();
  const add = (file: FileDescriptorProto): void => {
    if (sorted.has(file)) return;
    for (const name of file.dependency) {
      const imported = files.find((one) => one.name === name && one !== file);
      if (imported) add(imported);
    }
    sorted.add(file);
  };
  files.forEach(add);
  return [...sorted];
}
