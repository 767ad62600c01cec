// The rules of request fields, compiled from the protos once at the start into one check for each RPC.
import { ScalarType } from '@bufbuild/protobuf';
import { FieldRule } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { ServiceError } from '../../errors.ts';
import type { ToFieldPath } from '../errors/status-details.ts';
import { createMessage } from '../message.ts';
import type { Service } from '../service.ts';
import type { Inspected, Validate } from '../types.ts';
import { compileCheck, type MessageCheck } from './check.ts';
import { ownDescriptors, readDescriptors, type DescField, type DescMessage, type Descriptors } from './descriptors.ts';
import { compileFieldPath } from './field-path.ts';
import { requestProblems } from './field-rules.ts';

/** The limits and checks of an RPC's request messages. */
interface RequestContract {
  /** Fields without a limit or with an invalid rule. An RPC with such fields cannot be served. */
  readonly problems: readonly string[];
  /** Maximum size of an encoded message in bytes. */
  readonly maxBytes: number;
  /** Throws VALIDATION_ERROR or, for the name of the record, NOT_FOUND. */
  readonly validate: Validate;
  readonly toFieldPath: ToFieldPath;
}

/** Contracts by full method path. */
export type RequestContracts = ReadonlyMap<string, RequestContract>;

/** Maximum size of a message without a file, in bytes. */
export const MAX_MESSAGE_BYTES = 262_144;

/**
 * Maximum characters of a header that a proxy passes on. A longer header fails the call, and the proxy refuses its
 * request.
 */
const MAX_HEADER_LENGTH = 65_536;

/** The rules of standard messages, which cannot carry options of this project. */
const STANDARD_RULES: Readonly<Record<string, FieldRule>> = {
  'grpc.health.v1.HealthCheckRequest.service': createMessage(FieldRule, { max: 1024, record: true }),
  'envoy.service.auth.v3.AttributeContext.context_extensions': createMessage(FieldRule, { max: 4096, items: 100 }),
  'envoy.service.auth.v3.AttributeContext.HttpRequest.headers': createMessage(FieldRule, {
    max: MAX_HEADER_LENGTH,
    items: 1000,
  }),
  'envoy.service.auth.v3.AttributeContext.HttpRequest.path': createMessage(FieldRule, { max: MAX_HEADER_LENGTH }),
  'envoy.config.core.v3.SocketAddress.address': createMessage(FieldRule, { max: 64 }),
  'envoy.config.core.v3.HeaderMap.headers': createMessage(FieldRule, { items: 1000 }),
  'envoy.config.core.v3.HeaderValue.key': createMessage(FieldRule, { max: MAX_HEADER_LENGTH }),
  'envoy.config.core.v3.HeaderValue.value': createMessage(FieldRule, { max: MAX_HEADER_LENGTH }),
  'envoy.config.core.v3.HeaderValue.raw_value': createMessage(FieldRule, { max: MAX_HEADER_LENGTH }),
};

/** Compiles the contracts of the core's own protos, or of the protos in a google.protobuf.FileDescriptorSet. */
export function readContracts(file?: URL): RequestContracts {
  const { methods, ruleOf } = file ? readDescriptors(file) : ownDescriptors();
  const rules = { ruleOf: (field: DescField) => ruleOf(field) ?? standardRule(field) };
  return new Map(
    methods.map(({ parent, name, input }) => [`/${parent.typeName}/${name}`, compileContract(input, rules)]),
  );
}

/** Throws and lists methods that cannot be served: their requests are unknown, or have fields without a limit. */
export function assertContracts(services: readonly Service<never>[], contracts: RequestContracts): void {
  const paths = services.flatMap((service) => service.methods.map((method) => method.definition.path));
  const unknown = paths.filter((path) => !contracts.has(path));
  if (unknown.length > 0) throw new Error(`No descriptors of ${unknown.join(', ')}`);
  const problems = new Set(paths.flatMap((path) => contracts.get(path)!.problems));
  if (problems.size > 0) {
    throw new Error(`No usable bounds (option authservice.rule.v1.field) for ${[...problems].join(', ')}`);
  }
}

function standardRule(field: DescField): FieldRule | undefined {
  return STANDARD_RULES[`${field.parent.typeName}.${field.name}`];
}

function compileContract(input: DescMessage, rules: Pick<Descriptors, 'ruleOf'>): RequestContract {
  const problems = requestProblems(input, rules);
  return {
    problems,
    maxBytes: MAX_MESSAGE_BYTES + largestChunk(input, rules),
    toFieldPath: compileFieldPath(input),
    validate: problems.length > 0 ? NO_RULES : validator(compileCheck(input, rules)),
  };
}

/** Returns the check of the requests of one of the core's own RPCs, for requests that another RPC contains. */
export function requestCheckOf(path: string): Validate {
  const { methods, ruleOf } = ownDescriptors();
  const { input } = methods.find(({ parent, name }) => path === `/${parent.typeName}/${name}`)!;
  return validator(compileCheck(input, { ruleOf }));
}

/** Accepts every message unchanged. */
export const NO_RULES: Validate = Object.assign(<Message>(message: Message): Message => message, {
  inspect: <Message>(message: Message): Inspected<Message> => ({ message, violations: [] }),
});

function validator(check: MessageCheck): Validate {
  const inspect = <Message>(message: Message): Inspected<Message> => {
    const { noRecord, violations, message: checked } = check(message);
    if (noRecord) throw new ServiceError('NOT_FOUND');
    return { message: checked as Message, violations };
  };
  const validate = <Message>(message: Message): Message => {
    const { message: checked, violations } = inspect(message);
    if (violations.length === 0) return checked;
    throw new ServiceError('VALIDATION_ERROR', { violations });
  };
  return Object.assign(validate, { inspect });
}

/** Returns the maximum size of a file chunk in bytes, if the message can contain one. */
function largestChunk({ fields }: DescMessage, { ruleOf }: Pick<Descriptors, 'ruleOf'>): number {
  const chunks = fields.filter(({ fieldKind, scalar }) => fieldKind === 'scalar' && scalar === ScalarType.BYTES);
  return Math.max(0, ...chunks.map((field) => ruleOf(field)?.max ?? 0));
}
