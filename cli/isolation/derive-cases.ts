// The probes of an RPC, from its example and its declaration: the access rule, and the rules of the fields that contain ids.
import { Credential, Permission, type Rule } from '../../proto/gen/authservice/access/v1/access.ts';
import { Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { SERVICE_PERMISSIONS } from '../../src/auth/access/roles/built-in-roles.ts';
import {
  ownDescriptors,
  readOnlyMethods,
  type DescField,
  type DescMessage,
  type DescMethod,
} from '../../src/platform/rpc/contract/descriptors.ts';
import type { MethodDefinition } from '../../src/platform/rpc/types.ts';
import type { AnnotatedExample, ServiceExamples } from './example.ts';
import {
  elsewhere,
  forbidden,
  hidden,
  nothing,
  own,
  reference,
  type Build,
  type Probe,
  type ProbeCase,
  type RpcCases,
} from './probe-case.ts';
import type { Kind, Records } from './records.ts';
import { fieldsOf, pathOf } from './rpcs.ts';

type Request = unknown;

const descriptors = ownDescriptors();
const readOnly = readOnlyMethods(descriptors);
const declared = new Map(descriptors.methods.map((method) => [pathOf(method), method]));
const OF_SERVICE = new Set<Permission>(SERVICE_PERMISSIONS.map((name) => Permission[`PERMISSION_${name}`]));

/** Returns the method that the protos declare for a definition. */
export function declarationOf({ path }: MethodDefinition): DescMethod {
  const method = declared.get(path);
  if (method === undefined) throw new Error(`the protos do not declare ${path}`);
  return method;
}

/** Returns the access rule of a method. Undefined for standard services, which cannot declare one. */
export function accessRuleOf(method: DescMethod): Rule | undefined {
  return descriptors.optionOf(method, 'authservice.access.v1.rule');
}

/** Whether no administrator of a tenant holds the permission of a method. */
export function isForService(method: DescMethod): boolean {
  return OF_SERVICE.has(accessRuleOf(method)?.permission ?? Permission.PERMISSION_UNSPECIFIED);
}

/** Whether a request can name the tenant of its records. */
export function canNameTenant(method: DescMethod): boolean {
  const isTenant = (field: DescField) =>
    field.name === 'tenant_id' && field.oneof === undefined && ruleOf(field)?.record !== true;
  return !isForService(method) && method.input.fields.some(isTenant);
}

/** Returns the cases of a service, from its examples. */
export function casesOf({ definition, examples }: ServiceExamples): RpcCases {
  const cases = Object.entries(examples).map(([name, example]) => [name, caseOf(definition[name]!, example)]);
  return { definition, cases: Object.fromEntries(cases) as RpcCases['cases'] };
}

function caseOf(definition: MethodDefinition, example: AnnotatedExample<Request>): ProbeCase<Request> {
  const { notApplicable, probes, more = [] } = example;
  if (notApplicable !== undefined) return { probes: [], notApplicable };
  const all = [...(probes ?? probesOf(definition, example)), ...more];
  return all.length > 0 ? { probes: all } : { probes: [], notApplicable: 'its request contains no id of a record' };
}

function probesOf(
  definition: MethodDefinition,
  { request, filters = [], exact = [] }: AnnotatedExample<Request>,
): Probe<Request>[] {
  const method = declarationOf(definition);
  if (accessRuleOf(method)?.credential !== Credential.CREDENTIAL_REQUIRED) return [];
  if (isForService(method)) return [forbidden(request)];
  const { records, references, contents } = kindsIn(request, definition);
  const isList = readOnly.has(definition.path) && records.length === 0;
  const withoutRule = contents.find((kind) => kind !== 'mark');
  // Otherwise no probe would send another tenant's id in this field.
  if (!isList && withoutRule !== undefined)
    throw new Error(
      `${definition.path}: the field of the ${withoutRule} has neither the rule record nor FORMAT_REFERENCE`,
    );
  /** The request with the caller's own records, and these fields with the other tenant's. */
  const withFields =
    (fields: Build<object>): Build<Request> =>
    (named, owned) => ({ ...(request(owned, owned) as object), ...fields(named, owned) });
  return [
    ...(records.length > 0 ? [hidden(naming(request, records))] : []),
    // A stream would not end.
    ...(isList && contents.length === 0 && !definition.responseStream ? [own(naming(request, []))] : []),
    ...(isList && contents.length > 0 ? [nothing(naming(request, contents))] : []),
    ...(canNameTenant(method) ? [elsewhere(withFields(({ tenant }) => ({ tenantId: tenant })))] : []),
    ...references.map((kind) => reference(naming(request, [kind]))),
    ...searchesOf(method.input, exact).map((name) => nothing(withFields(({ mark }) => ({ [name]: mark })))),
    ...filters.map((filter) => nothing(withFields(filter as Build<object>))),
  ];
}

/** Returns the request with the other tenant's records of these kinds, and the caller's own records of all others. */
function naming(request: Build<Request>, kinds: readonly Kind[]): Build<Request> {
  return (named, owned) =>
    request(new Proxy(owned, { get: (_, kind: Kind) => (kinds.includes(kind) ? named : owned)[kind] }), owned);
}

/** Returns the names of the fields of a list that search for a text. */
function searchesOf({ fields }: DescMessage, exact: readonly string[]): string[] {
  const searches = fields.filter((field) => ruleOf(field)?.format === Format.FORMAT_SEARCH);
  return searches.map(({ localName }) => localName).filter((name) => !exact.includes(name));
}

/** The kinds of records in a request, by the rules of the fields that contain them. */
interface KindsIn {
  /** Ids of the records that the call is for. */
  readonly records: readonly Kind[];
  /** Ids of other records. */
  readonly references: readonly Kind[];
  /** Contents of records, in any field. */
  readonly contents: readonly Kind[];
}

function kindsIn(request: Build<Request>, definition: MethodDefinition): KindsIn {
  const asked = new Set<Kind>();
  const idOf = (kind: string) => `<${kind}>`;
  const fakes = new Proxy({} as Records, {
    get(_, kind: Kind) {
      asked.add(kind);
      return kind === 'file' ? { date: '2026-01-31', uuid: idOf(kind) } : idOf(kind);
    },
  });
  const method = declarationOf(definition);
  const fieldsOfIds = [request(fakes, fakes)].flat().flatMap((message) => {
    const fields = fieldsOf(method, definition.requestSerialize(message));
    return textsIn(method.input, fields);
  });
  const kindsAt = (matches: (field: DescField) => boolean) =>
    [...asked].filter((kind) => fieldsOfIds.some(({ text, path }) => text === idOf(kind) && path.some(matches)));
  const records = kindsAt((field) => ruleOf(field)?.record === true);
  const references = kindsAt((field) => ruleOf(field)?.format === Format.FORMAT_REFERENCE);
  const contents = [...asked].filter((kind) => !records.includes(kind) && !references.includes(kind));
  return { records, references, contents };
}

interface TextAt {
  readonly text: string;
  /** The field of the text, and those of the messages around it. */
  readonly path: readonly DescField[];
}

/** Returns all texts in the fields of a message. */
function textsIn(type: DescMessage, fields: Readonly<Record<string, unknown>>): TextAt[] {
  return type.fields.flatMap((field) =>
    [fields[field.name]].flat().flatMap((value): TextAt[] => {
      if (typeof value === 'string') return [{ text: value, path: [field] }];
      if (!field.message || typeof value !== 'object' || value === null) return [];
      const inner = textsIn(field.message, value as Readonly<Record<string, unknown>>);
      return inner.map(({ text, path }) => ({ text, path: [field, ...path] }));
    }),
  );
}

function ruleOf(field: DescField) {
  return descriptors.ruleOf(field);
}
