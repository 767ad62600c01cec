// The descriptors of the protos: methods, requests, access rules and the rules of fields.
import { readFileSync } from 'node:fs';
import {
  create,
  createFileRegistry,
  fromBinary,
  getOption,
  hasOption,
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  type FileRegistry,
} from '@bufbuild/protobuf';
import type { GenExtension } from '@bufbuild/protobuf/codegenv2';
import {
  type FileDescriptorProto,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
  MethodOptions_IdempotencyLevel as Level,
  type MethodOptions,
  type FieldOptions,
} from '@bufbuild/protobuf/wkt';
import type { Rule as AccessRule } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type { MethodError } from '../../../../proto/gen/authservice/error/v1/reason.ts';
import type { Operation } from '../../../../proto/gen/authservice/rest/v1/rest.ts';
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { loadProtos } from './load-protos.ts';
import { TEXT_FORMATS } from './formats.ts';
import { namesOf } from './values.ts';

export type { DescField, DescMessage, DescMethod };

const OWN_DESCRIPTORS = new URL('../../../../proto/gen/descriptors.binpb', import.meta.url);

/** The descriptors of some protos. */
export interface Descriptors {
  readonly methods: readonly DescMethod[];
  readonly ruleOf: ReadRule;
  /** The rules of a field such as `authservice.business.v1.OrderLine.quantity`, for code that needs a number of them. Throws if it has none. */
  readonly ruleNamed: (field: string) => FieldRule;
  /** Returns an option of a method; undefined if the method does not declare it. */
  optionOf<Name extends keyof OptionValues>(method: DescMethod, name: Name): OptionValues[Name] | undefined;
}

/** The options of methods by their full names. Both the descriptor and the type of an option are made from its proto. */
interface OptionValues {
  readonly 'authservice.access.v1.rule': AccessRule;
  readonly 'authservice.error.v1.error': readonly MethodError[];
  readonly 'authservice.rest.v1.operation': Operation;
  readonly 'google.api.http': HttpRule;
}

/** google.api.HttpRule. */
export interface HttpRule {
  readonly pattern: { readonly case: 'get' | 'put' | 'post' | 'delete' | 'patch'; readonly value: string };
  readonly body: string;
  readonly responseBody: string;
  readonly additionalBindings: readonly HttpRule[];
}

let own: Descriptors | undefined;

/** The descriptors of this project's protos and of its modules, read once for core and gateway. */
export function ownDescriptors(): Descriptors {
  return (own ??= describe(fileSet()));
}

/** The protos of modules. */
const added: { readonly files: FileDescriptorProto[]; readonly comments: Record<string, string> } = {
  files: [],
  comments: {},
};

/**
 * Adds the protos of a folder to those of this process. Call it before anything is derived from them. Returns the names of the
 * added packages. Throws if the protos are invalid.
 */
export function addProtos(folder: string): ReadonlySet<string> {
  const registry = createFileRegistry(fileSet());
  const { files, comments } = loadProtos(folder, registry);
  const packages = new Set(files.map((file) => file.package));
  assertUniqueNames(
    createFileRegistry(create(FileDescriptorSetSchema, { file: [...fileSet().file, ...files] })),
    packages,
  );
  added.files.push(...files);
  Object.assign(added.comments, comments);
  own = undefined;
  return packages;
}

/** Returns the protos that modules added. */
export function addedProtos(): typeof added {
  return added;
}

/**
 * Throws if a message or an RPC of a module has the name of another. The OpenAPI document names them without their package, but has
 * none of standard protos such as Envoy's.
 *
 * @param packages The packages of the module.
 */
function assertUniqueNames(registry: FileRegistry, packages: ReadonlySet<string>): void {
  const earlier = new Set(added.files.map((file) => file.package));
  const known = new Map<string, string>();
  const named = [...registry].flatMap(namesIn);
  for (const { key, full, inPackage } of named)
    if (inPackage.startsWith('authservice.') || earlier.has(inPackage)) known.set(key, full);
  for (const { key, full } of named.filter(({ inPackage }) => packages.has(inPackage))) {
    const other = known.get(key);
    if (other !== undefined) throw new Error(`${full} has the name of ${other}; choose another`);
    known.set(key, full);
  }
}

/** Returns the names that a message or a service has in the OpenAPI document. */
function namesIn(
  desc: DescMessage | DescEnum | DescExtension | DescService,
): { readonly key: string; readonly full: string; readonly inPackage: string }[] {
  if (desc.kind === 'message')
    return [{ key: `message ${desc.name}`, full: desc.typeName, inPackage: desc.file.proto.package }];
  if (desc.kind !== 'service') return [];
  const { methods, typeName, file } = desc;
  return methods.map(({ name }) => ({
    key: `RPC ${name}`,
    full: `${typeName}/${name}`,
    inPackage: file.proto.package,
  }));
}

function fileSet(): FileDescriptorSet {
  const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(OWN_DESCRIPTORS));
  return create(FileDescriptorSetSchema, { file: [...file, ...added.files] });
}

/** Reads a google.protobuf.FileDescriptorSet that includes all imports; scripts/proto-check.ts makes such files. */
export function readDescriptors(file: URL): Descriptors {
  return describe(fromBinary(FileDescriptorSetSchema, readFileSync(file)));
}

function describe(files: FileDescriptorSet): Descriptors {
  const registry = createFileRegistry(files);
  const methods = [...registry].flatMap((desc) => (desc.kind === 'service' ? desc.methods : []));
  const ruleOf = createRuleReader(registry);
  return { methods, ruleOf, ruleNamed: ruleFinder(registry, ruleOf), optionOf: optionReader(registry) };
}

function ruleFinder(registry: FileRegistry, ruleOf: ReadRule): Descriptors['ruleNamed'] {
  return (name) => {
    const at = name.lastIndexOf('.');
    const field = registry.getMessage(name.slice(0, at))?.fields.find((one) => one.name === name.slice(at + 1));
    const rule = field && ruleOf(field);
    if (rule === undefined) throw new Error(`No rules of ${name}`);
    return rule;
  };
}

function optionReader(registry: FileRegistry): Descriptors['optionOf'] {
  return <Name extends keyof OptionValues>(method: DescMethod, name: Name) => {
    const extension = registry.getExtension(name) as GenExtension<MethodOptions, OptionValues[Name]> | undefined;
    return extension && hasOption(method, extension) ? getOption(method, extension) : undefined;
  };
}

/** Standard services cannot carry the option. */
const STANDARD = ['/grpc.health.v1.Health/Check'];

/** Returns the full paths of the methods whose `idempotency_level` is NO_SIDE_EFFECTS. */
export function readOnlyMethods({ methods }: Descriptors): ReadonlySet<string> {
  const readOnly = methods.filter(({ idempotency }) => idempotency === Level.NO_SIDE_EFFECTS);
  return new Set([...STANDARD, ...readOnly.map(({ parent, name }) => `/${parent.typeName}/${name}`)]);
}

/** Returns the rules of a field; undefined if it declares none. */
type ReadRule = (field: DescField) => FieldRule | undefined;

/** Both the descriptor and the generated type of an option are made from its proto. */
type RuleExtension = GenExtension<FieldOptions, FieldRule>;

const FIELD_RULE = 'authservice.rule.v1.field';

/** Creates the reader of the rules of a registry's fields. */
function createRuleReader(registry: FileRegistry): ReadRule {
  const extension = registry.getExtension(FIELD_RULE) as RuleExtension | undefined;
  if (extension === undefined) return () => undefined;
  const read = (field: DescField): FieldRule | undefined => {
    if (!field.proto.options?.$unknown?.some(({ no }) => no === extension.number)) return undefined;
    const rule = getOption(field, extension);
    const bounds = TEXT_FORMATS[rule.format];
    return {
      ...rule,
      min: rule.min || (bounds?.min ?? 0),
      max: rule.max || (bounds?.max ?? 0),
      allowed: rule.namesOf === '' ? rule.allowed : enumNames(registry, rule.namesOf),
    };
  };
  const cache = new Map<DescField, FieldRule | undefined>();
  return (field) => {
    if (!cache.has(field)) cache.set(field, read(field));
    return cache.get(field);
  };
}

function enumNames(registry: FileRegistry, name: string): string[] {
  const named = registry.getEnum(name);
  return named ? [...namesOf(named).values()] : [];
}
