// The routes that the protos declare: their cases are those of their RPCs, as REST requests.
import { Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import {
  ownDescriptors,
  type DescField,
  type DescMessage,
  type DescMethod,
  type HttpRule,
} from '../../src/platform/rpc/contract/descriptors.ts';
import { isMask, namesOf } from '../../src/platform/rpc/contract/values.ts';
import type { MethodDefinition } from '../../src/platform/rpc/types.ts';
import { kindsOf, type Probe, type ProbeCase, type RestCases, type RestRequest, type RpcCases } from './probe-case.ts';
import { fieldsOf, pathOf, type Fields } from './rpcs.ts';

const API = '/api/v1';
const { methods, optionOf, ruleOf } = ownDescriptors();

type ToRest = (request: unknown) => RestRequest;

/** A route that `google.api.http` declares at an RPC. */
export interface DeclaredRoute {
  /** `GET /products/{id}` */
  readonly name: string;
  /** The status of a success. */
  readonly status: number;
  /** Returns the request to the route with the fields of a request to the RPC. */
  readonly toRest: ToRest;
}

/** Returns the routes that an RPC declares. */
export function routesOfRpc({ path, requestSerialize }: MethodDefinition): DeclaredRoute[] {
  const method = methods.find((one) => pathOf(one) === path)!;
  const http = optionOf(method, 'google.api.http');
  return (http ? [http, ...http.additionalBindings] : []).map((binding) => ({
    name: routeName(method, binding),
    status: optionOf(method, 'authservice.rest.v1.operation')!.status || 200,
    toRest: (request) => restRequest(method, binding, fieldsOf(method, requestSerialize(request))),
  }));
}

/** Returns the cases of all routes that the RPCs of the services declare. */
export function declaredRoutes(services: readonly RpcCases[]): RestCases {
  const routes = services.flatMap(({ definition, cases }) =>
    Object.entries(cases).flatMap(([name, probeCase]) =>
      routesOfRpc(definition[name]!).map(({ name: route, toRest }) => [route, restCase(probeCase, toRest)] as const),
    ),
  );
  return Object.fromEntries(routes);
}

function restCase({ notApplicable, probes }: ProbeCase<unknown>, toRest: ToRest): ProbeCase<RestRequest> {
  const sent = probes.filter((probe) => canSend(probe, toRest));
  return {
    notApplicable,
    probes: sent.map(({ expectation, request }) => ({
      expectation,
      request: (named, own) => toRest(request(named, own)),
    })),
  };
}

/** Whether a route has a place for all ids of a probe. A path needs all its ids, and PUT keeps some fields. */
function canSend(probe: Probe<unknown>, toRest: ToRest): boolean {
  const { kinds, examples } = kindsOf(probe);
  const [one, other] = examples.map(toRest) as [RestRequest, RestRequest];
  const hasPath = Object.values(one.path!).every((value) => value !== undefined);
  return hasPath && (kinds.length === 0 || JSON.stringify(one) !== JSON.stringify(other));
}

/** Returns the name of a case: `GET /products/{id}`. */
export function routeName({ input }: DescMethod, { pattern }: HttpRule): string {
  const parameter = (name: string) => restName(input.fields.find((field) => field.name === name)!);
  const path = pattern.value.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${parameter(name)}}`);
  return `${pattern.case.toUpperCase()} ${path.slice(API.length)}`;
}

/** Returns the request to a route with the fields of a request to its RPC. */
function restRequest(method: DescMethod, { pattern, body }: HttpRule, fields: Fields): RestRequest {
  const inPath = method.input.fields.filter(({ name }) => pattern.value.includes(`{${name}}`));
  const mask = (fields['update_mask'] as string | undefined)?.split(',');
  const kept = optionOf(method, 'authservice.rest.v1.operation')?.keptByPut ?? [];
  const isInQuery = (field: DescField) => body !== '*' || ruleOf(field)?.query === true;
  const inQuery = membersOf(method.input, fields, (field) => !inPath.includes(field) && isInQuery(field));
  const inBody = membersOf(method.input, fields, (field) => {
    if (field.parent === method.input) return !inPath.includes(field) && !isMask(field) && !isInQuery(field);
    return pattern.case === 'put' ? !kept.includes(field.jsonName) : (mask?.includes(field.jsonName) ?? true);
  });
  return {
    path: Object.fromEntries(inPath.map((field) => [restName(field), fields[field.name] as string])),
    ...(Object.keys(inQuery).length > 0 && { query: inQuery as Readonly<Record<string, string>> }),
    ...(body === '*' && { body: inBody }),
  };
}

/** Returns the fields as members of a JSON object. `isSent` chooses among them and the fields of inlined messages. */
function membersOf(type: DescMessage, fields: Fields, isSent: (field: DescField) => boolean): Fields {
  const given = type.fields.filter((field) => fields[field.name] !== undefined && isSent(field));
  return Object.fromEntries(
    given.flatMap((field) => {
      const value: unknown = fields[field.name];
      if (ruleOf(field)?.inline) return Object.entries(membersOf(field.message!, value as Fields, isSent));
      return [[restName(field), jsonOf(field, value)]];
    }),
  );
}

function jsonOf(field: DescField, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => jsonOf(field, item));
  if (field.enum) return namesOf(field.enum).get(value as number);
  if (field.message) return membersOf(field.message, value as Fields, () => true);
  const format = ruleOf(field)?.format;
  if (format === Format.FORMAT_JSON_OBJECT) return JSON.parse(value as string) as unknown;
  return format === Format.FORMAT_MONEY ? Number(value) / 100 : value;
}

function restName(field: DescField): string {
  return ruleOf(field)?.name || field.jsonName;
}
