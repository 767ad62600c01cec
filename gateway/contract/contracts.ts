// The declarations of this project's protos, as the gateway reads them: messages, options of methods, and comments.
import { readFileSync } from 'node:fs';
import { Credential, type Rule as AccessRule } from '../../proto/gen/authservice/access/v1/access.ts';
import { Reason } from '../../proto/gen/authservice/error/v1/reason.ts';
import type { Operation } from '../../proto/gen/authservice/rest/v1/rest.ts';
import type { FailureName } from '../../src/platform/problem/catalogue.ts';
import {
  addedProtos,
  ownDescriptors,
  type DescMethod,
  type Descriptors,
} from '../../src/platform/rpc/contract/descriptors.ts';
import { responseProblems } from '../../src/platform/rpc/contract/field-rules.ts';
import type { RouteEntry } from '../endpoint.ts';

export interface Contracts extends Descriptors {
  /**
   * Returns the method of an RPC such as `authservice.session.v1.SessionService/Login`. Throws if the RPC is unknown, or if the
   * field rules of its response are invalid.
   */
  methodOf(rpc: string): DescMethod;
  /** Returns how REST serves a method; undefined if the method does not declare it. */
  restOf(method: DescMethod): Rest | undefined;
}

/** How REST serves a method. */
export interface Rest {
  readonly operation: Operation;
  /** HTTP status of a success. */
  readonly status: number;
  /** The field of the response that becomes the body. Empty if it is the whole response. */
  readonly responseBody: string;
  readonly bindings: readonly Binding[];
}

/** An HTTP method and path of a method. The path contains names of request fields in braces. */
export interface Binding {
  readonly method: RouteEntry[0];
  readonly path: string;
  readonly hasBody: boolean;
}

let cached: { readonly of: Descriptors; readonly contracts: Contracts } | undefined;

/** Returns the contracts of this project's protos and of its modules. Read again if a module was added. */
export function contracts(): Contracts {
  const descriptors = ownDescriptors();
  if (cached?.of !== descriptors) cached = { of: descriptors, contracts: readProjectContracts(descriptors) };
  return cached.contracts;
}

/** Returns the full name of an RPC: `authservice.session.v1.SessionService/Login`. */
export function rpcOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

function readProjectContracts(descriptors: Descriptors): Contracts {
  const methods = new Map(descriptors.methods.map((method) => [rpcOf(method), method]));
  const rests = new Map(descriptors.methods.map((method) => [method, readRest(method, descriptors)]));
  return {
    ...descriptors,
    methodOf(rpc) {
      const method = methods.get(rpc);
      if (method === undefined) throw new Error(`Missing descriptor of ${rpc}`);
      const problems = responseProblems(method.output, descriptors);
      if (problems.length > 0) throw new Error(`Invalid field rules: ${problems.join(', ')}`);
      return method;
    },
    restOf: (method) => rests.get(method),
  };
}

function readRest(method: DescMethod, { optionOf }: Descriptors): Rest | undefined {
  const http = optionOf(method, 'google.api.http');
  const operation = optionOf(method, 'authservice.rest.v1.operation');
  if (http === undefined && operation === undefined) return undefined;
  if (http === undefined || operation === undefined)
    throw new Error(`${rpcOf(method)} needs both options google.api.http and authservice.rest.v1.operation`);
  const bindings = [http, ...http.additionalBindings].map(({ pattern, body }) => ({
    method: pattern.case.toUpperCase() as Binding['method'],
    path: pattern.value,
    hasBody: body === '*',
  }));
  const isAuth = ({ path }: Binding) => isOfModule(method) && path.startsWith('/api/v1/auth/');
  if (!bindings.every((binding) => binding.path.startsWith('/api/v1/') && !isAuth(binding)))
    throw new Error(
      `google.api.http of ${rpcOf(method)}: the path must begin with /api/v1/, and not with /api/v1/auth/`,
    );
  return { operation, status: operation.status || 200, responseBody: http.responseBody, bindings };
}

/** Whether a module outside this project declares a method. */
function isOfModule({ parent }: DescMethod): boolean {
  return addedProtos().files.some((file) => file.package === parent.file.proto.package);
}

/** Returns the first segments of paths below `/api/v1` that only modules outside this project have. */
export function segmentsOfModules(): string[] {
  const { methods, restOf } = contracts();
  const segmentsOf = (some: readonly DescMethod[]) =>
    new Set(some.flatMap((method) => restOf(method)?.bindings ?? []).map(({ path }) => path.split('/')[3]!));
  const taken = segmentsOf(methods.filter((method) => !isOfModule(method)));
  return [...segmentsOf(methods.filter(isOfModule))].filter((segment) => !taken.has(segment));
}

/** Returns the tags of modules outside this project. The comment of the service describes its tags. */
export function tagsOfModules(): { readonly name: string; readonly description: string }[] {
  const { methods, restOf } = contracts();
  const described = new Map<string, string>();
  for (const method of methods.filter(isOfModule)) {
    const tag = restOf(method)?.operation.tag;
    if (tag !== undefined && !described.has(tag)) described.set(tag, commentOf(method.parent.typeName));
  }
  return [...described].map(([name, description]) => ({ name, description }));
}

const REASONS = new Map(
  Object.entries(Reason).map(([name, number]) => [number, name.replace('REASON_', '') as FailureName]),
);

/** Returns the errors that an RPC declares. `except` names those that cannot occur at an endpoint. */
export function errorsOf(rpc: string, except: readonly FailureName[] = []): FailureName[] {
  const { methodOf, optionOf } = contracts();
  const declared = optionOf(methodOf(rpc), 'authservice.error.v1.error') ?? [];
  return declared.map(({ reason }) => REASONS.get(reason)!).filter((name) => !except.includes(name));
}

/** Failures of all endpoints that require a credential, in addition to those of every route. */
const COMMON_FAILURES: readonly FailureName[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'SUBJECT_UNKNOWN',
  'PERMISSION_DENIED',
  'VALIDATION_ERROR',
  'AUTHENTICATION_SERVICE_UNAVAILABLE',
];

/** Returns the failures of an RPC, in addition to those of every route. */
export function failuresOf(rpc: string): readonly FailureName[] {
  const rule = requiredCredential(rpc);
  const ofRule = [...(rule ? COMMON_FAILURES : []), ...(rule?.fresh ? (['FRESH_SESSION_REQUIRED'] as const) : [])];
  return [...new Set([...ofRule, ...errorsOf(rpc)])];
}

/** Returns the OpenAPI security of an RPC. Empty if it requires no credential. */
export function securityOf(rpc: string): Record<string, string[]>[] {
  const rule = requiredCredential(rpc);
  if (rule === undefined) return [];
  return rule.refusesApiKeys ? [{ bearer: [] }] : [{ bearer: [] }, { apiKey: [] }];
}

function requiredCredential(rpc: string): AccessRule | undefined {
  const { methodOf, optionOf } = contracts();
  const rule = optionOf(methodOf(rpc), 'authservice.access.v1.rule');
  return rule?.credential === Credential.CREDENTIAL_REQUIRED ? rule : undefined;
}

const COMMENTS = new URL('../../proto/gen/comments.json', import.meta.url);
let comments: Readonly<Record<string, string>> | undefined;

/** Returns the proto comment on a name such as `authservice.business.v1.Customer.name`. Empty if there is none. */
export function commentOf(name: string): string {
  comments ??= JSON.parse(readFileSync(COMMENTS, 'utf8')) as Readonly<Record<string, string>>;
  return comments[name] ?? addedProtos().comments[name] ?? '';
}
