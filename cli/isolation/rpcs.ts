// The RPCs of a core, from the protos.
import { isNotServed } from '../core/core.ts';
import { Readable } from 'node:stream';
import { fromBinary, ScalarType, toJson } from '@bufbuild/protobuf';
import {
  ownDescriptors,
  readOnlyMethods,
  type DescMessage,
  type DescMethod,
  type Descriptors,
} from '../../src/platform/rpc/contract/descriptors.ts';
import { Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { CallOptions, Client, MethodDefinition, ServiceDefinition } from '../../src/platform/rpc/types.ts';
import { differences, NOT_SERVED, type OperationResponse, type By, type Operation } from './operation.ts';
import type { RpcCases } from './probe-case.ts';

/** Creates a client of one service. */
export type Connect = <Definition extends ServiceDefinition>(definition: Definition) => Client<Definition>;

/** An RPC that the protos declare. */
export interface DeclaredRpc {
  /** `/authservice.session.v1.SessionService/Login` */
  readonly path: string;
  /** Whether it is declared to have no side effects. */
  readonly safe: boolean;
  /** Paths of the record ids in its request: `order.items.product_id`. */
  readonly ids: readonly string[];
  readonly method: DescMethod;
}

// Excludes client_id: like a username, it is a credential that is unique across all tenants, not the id of a record.
const NAMES_A_RECORD = /^(?!client_id$)(?:.*_id|id|uuid)$/;

/** Returns all RPCs of this project's protos, including the health protocol. */
export function projectRpcs(): DeclaredRpc[] {
  const descriptors = ownDescriptors();
  const readOnly = readOnlyMethods(descriptors);
  return descriptors.methods.map((method) => {
    const path = pathOf(method);
    return { path, safe: readOnly.has(path), ids: idsOf(method.input, descriptors), method };
  });
}

/** Returns the path of an RPC: `/authservice.session.v1.SessionService/Login`. */
export function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** A text to search for names no record. */
function idsOf({ fields }: DescMessage, descriptors: Pick<Descriptors, 'ruleOf'>, path = ''): string[] {
  return fields.flatMap((field) => {
    const { name, message, scalar } = field;
    if (message) return idsOf(message, descriptors, `${path}${name}.`);
    if (descriptors.ruleOf(field)?.format === Format.FORMAT_SEARCH) return [];
    return scalar === ScalarType.STRING && NAMES_A_RECORD.test(name) ? [path + name] : [];
  });
}

/** The fields of a message that have a value, by their names in the proto. */
export type Fields = Readonly<Record<string, unknown>>;

/** Decodes a request to its fields. Enums are numbers. */
export function fieldsOf({ input }: DescMethod, request: Uint8Array): Fields {
  return toJson(input, fromBinary(input, request), { useProtoFieldName: true, enumAsInteger: true }) as Fields;
}

/** Returns all declared RPCs with their cases. */
export function rpcsOf(
  declared: readonly DeclaredRpc[],
  services: readonly RpcCases[],
  connect: Connect,
  as: Readonly<Record<By, CallOptions>>,
): Operation<unknown>[] {
  const described = new Map(
    services.flatMap(({ definition, cases }) => {
      const send = sender(definition, connect, as);
      return Object.entries(definition).map(([name, method]) => [
        method.path,
        { definition: method, probeCase: cases[name], send: (request: unknown, by: By) => send(name, request, by) },
      ]);
    }),
  );
  return declared.map(({ path, safe, ids, method }) => {
    const { definition, probeCase, send } = described.get(path) ?? {};
    const fields = (request: unknown) =>
      [request].flat().map((message) => fieldsOf(method, definition!.requestSerialize(message)));
    return {
      surface: 'RPC',
      name: path.slice(1),
      safe,
      ids,
      probeCase,
      send: send ?? notServed,
      differences: (one, other) => differences(fields(one), fields(other)),
      variants: (request) => [request],
    };
  });
}

const notServed = async (): Promise<OperationResponse> => ({ outcome: NOT_SERVED, whole: '', body: undefined });

function sender(definition: ServiceDefinition, connect: Connect, as: Readonly<Record<By, CallOptions>>) {
  let client: Client<ServiceDefinition> | undefined;
  return async (name: string, request: unknown, by: By): Promise<OperationResponse> => {
    try {
      client ??= connect(definition);
      const message = await exchange(client, definition[name]!, name, request, as[by]);
      return { outcome: 'OK', whole: JSON.stringify(message), body: message };
    } catch (error) {
      if (isNotServed(error)) return notServed();
      if (!(error instanceof RpcError)) throw error;
      return { outcome: error.status.reason, whole: JSON.stringify(error.status), body: error.status };
    }
  };
}

async function exchange(
  client: Client<ServiceDefinition>,
  { requestStream, responseStream }: MethodDefinition,
  name: string,
  request: unknown,
  options: CallOptions,
): Promise<unknown> {
  const input = requestStream ? Readable.from(request as readonly unknown[]) : request;
  const output = client[name]!(input, options) as AsyncIterable<unknown> | Promise<unknown>;
  if (!responseStream) return output;
  const messages: unknown[] = [];
  for await (const message of output as AsyncIterable<unknown>) messages.push(message);
  return messages;
}
