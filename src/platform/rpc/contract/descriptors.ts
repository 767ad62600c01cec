// The descriptors of the protos: methods, requests, access rules and the rules of fields.
import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, getOption } from '@bufbuild/protobuf';
import type { DescField, DescMessage, DescMethod, FileRegistry } from '@bufbuild/protobuf';
import type { GenExtension } from '@bufbuild/protobuf/codegenv2';
import {
  FileDescriptorSetSchema,
  MethodOptions_IdempotencyLevel as Level,
  type MethodOptions,
} from '@bufbuild/protobuf/wkt';
import type { Rule as AccessRule } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { createRuleReader, type ReadRule } from './rule-reader.ts';

export type { DescField, DescMessage, DescMethod };

const OWN_DESCRIPTORS = new URL('../../../../proto/gen/descriptors.binpb', import.meta.url);

/** The descriptors of some protos. */
export interface Descriptors {
  readonly methods: readonly DescMethod[];
  readonly ruleOf: ReadRule;
  /** The rules of a field such as `authservice.business.v1.OrderLine.quantity`, for code that needs a number of them. Throws if it has none. */
  readonly ruleNamed: (field: string) => FieldRule;
  /** Returns a method's access rule; undefined if it has none. */
  accessOf(method: DescMethod): AccessRule | undefined;
}

/** Both the descriptor and the generated type of an option are made from its proto. */
type AccessExtension = GenExtension<MethodOptions, AccessRule>;

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
  const ruleOf = createRuleReader(registry);
  return { methods, ruleOf, ruleNamed: ruleFinder(registry, ruleOf), accessOf: accessReader(registry) };
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

function accessReader(registry: FileRegistry): Descriptors['accessOf'] {
  const extension = registry.getExtension(ACCESS_RULE) as AccessExtension | undefined;
  return (method) => {
    const isGiven = method.proto.options?.$unknown?.some(({ no }) => no === extension?.number);
    return extension && isGiven ? getOption(method, extension) : undefined;
  };
}

/** Standard services cannot carry the option. */
const STANDARD = ['/grpc.health.v1.Health/Check'];

/** Returns the full paths of the methods whose `idempotency_level` is NO_SIDE_EFFECTS. */
export function readOnlyMethods({ methods }: Descriptors): ReadonlySet<string> {
  const readOnly = methods.filter(({ idempotency }) => idempotency === Level.NO_SIDE_EFFECTS);
  return new Set([...STANDARD, ...readOnly.map(({ parent, name }) => `/${parent.typeName}/${name}`)]);
}
