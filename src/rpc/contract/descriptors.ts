// The descriptors of the protos: which methods there are, what their requests hold, and which rules the fields declare.
// proto-loader reads the access rules, but it loses the custom options of fields.
import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, getOption } from '@bufbuild/protobuf';
import type { DescField, DescMessage, DescMethod, FileRegistry } from '@bufbuild/protobuf';
import type { GenExtension } from '@bufbuild/protobuf/codegenv2';
import { FileDescriptorSetSchema, type FieldOptions, type MethodOptions } from '@bufbuild/protobuf/wkt';
import type { Rule as AccessRule } from '../../../proto/gen/authservice/access/v1/access.ts';
import type { FieldRule } from '../../../proto/gen/authservice/rule/v1/rule.ts';

export type { DescField, DescMessage, DescMethod };

const OWN_DESCRIPTORS = new URL('../../../proto/gen/descriptors.binpb', import.meta.url);

/** The descriptors of some protos. */
export interface Descriptors {
  readonly methods: readonly DescMethod[];
  /** The rules of a field; undefined if it declares none. */
  ruleOf(field: DescField): FieldRule | undefined;
  /** Who may call a method; undefined if it does not say. */
  accessOf(method: DescMethod): AccessRule | undefined;
}

/** Both the descriptor and the generated type of an option are made from its proto. */
type RuleExtension = GenExtension<FieldOptions, FieldRule>;
type AccessExtension = GenExtension<MethodOptions, AccessRule>;

const FIELD_RULE = 'authservice.rule.v1.field';
const ACCESS_RULE = 'authservice.access.v1.rule';

let own: Descriptors | undefined;

/** The descriptors of this project's own protos, read once for core and gateway. */
export function ownDescriptors(): Descriptors {
  return (own ??= readDescriptors(OWN_DESCRIPTORS));
}

/** Reads a google.protobuf.FileDescriptorSet that includes all imports; scripts/proto-check.ts makes such files. */
export function readDescriptors(file: URL): Descriptors {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(file)));
  const methods = [...registry].flatMap((desc) => (desc.kind === 'service' ? desc.methods : []));
  return { methods, ruleOf: ruleReader(registry), accessOf: accessReader(registry) };
}

function ruleReader(registry: FileRegistry): Descriptors['ruleOf'] {
  const extension = registry.getExtension(FIELD_RULE) as RuleExtension | undefined;
  if (extension === undefined) return () => undefined;
  return (field) => readRule(extension, field);
}

function readRule(extension: RuleExtension, field: DescField): FieldRule | undefined {
  if (!field.proto.options?.$unknown?.some(({ no }) => no === extension.number)) return undefined;
  return getOption(field, extension);
}

function accessReader(registry: FileRegistry): Descriptors['accessOf'] {
  const extension = registry.getExtension(ACCESS_RULE) as AccessExtension | undefined;
  return (method) => {
    const isGiven = method.proto.options?.$unknown?.some(({ no }) => no === extension?.number);
    return extension && isGiven ? getOption(method, extension) : undefined;
  };
}
