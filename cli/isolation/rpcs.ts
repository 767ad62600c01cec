// The RPCs of a core, from the protos.
import { globSync } from 'node:fs';
import { IdempotencyLevel, loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';
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
  /** Decodes a request to its fields by their names in the proto. */
  readonly fieldsOf: (bytes: Buffer) => object;
}

/** The parts of a message descriptor that the check reads. */
interface Descriptor {
  readonly name: string;
  readonly field: readonly { readonly name: string; readonly type: string; readonly typeName: string }[];
  /** Nested messages, including the entries of maps. */
  readonly nestedType: readonly Descriptor[];
}

// Excludes client_id: like a username, it is a credential that is unique across all tenants, not the id of a record.
const NAMES_A_RECORD = /^(?!client_id$)(?:.*_id|id|uuid)$/;

/**
 * Reads all RPCs from the protos.
 *
 * @param roots Directories with .proto files. Imports are relative to them.
 */
export function declaredRpcs(roots: readonly string[]): DeclaredRpc[] {
  const files = roots.flatMap((root) => globSync('**/*.proto', { cwd: root }));
  const definitions = loadSync(files, { includeDirs: [...roots], enums: String, keepCase: true });
  return Object.entries(definitions).flatMap(([name, definition]) => {
    if ('format' in definition) return []; // a message or an enum
    const home = name.slice(0, name.lastIndexOf('.'));
    return Object.values(definition).map(({ path, options, requestType, requestDeserialize }) => ({
      path,
      safe: options?.idempotency_level === IdempotencyLevel.NO_SIDE_EFFECTS,
      ids: idsOf(definitions, home, requestType.type as Descriptor),
      fieldsOf: requestDeserialize,
    }));
  });
}

/** @param outer The messages in which the type is nested, innermost first. */
function idsOf(
  definitions: PackageDefinition,
  home: string,
  declared: Descriptor,
  path = '',
  outer: readonly Descriptor[] = [],
): string[] {
  return declared.field.flatMap(({ name, type, typeName }) => {
    if (type === 'TYPE_STRING') return NAMES_A_RECORD.test(name) ? [path + name] : [];
    if (type !== 'TYPE_MESSAGE') return [];
    const scopes = [declared, ...outer];
    const nested = scopes.flatMap(({ nestedType }) => nestedType).find((each) => each.name === typeName);
    if (nested) return idsOf(definitions, home, nested, `${path}${name}.`, scopes);
    const whole = resolvedName(definitions, home, typeName);
    const message = definitions[whole] as MessageTypeDefinition<object, object>;
    const at = whole.slice(0, whole.lastIndexOf('.'));
    return idsOf(definitions, at, message.type as Descriptor, `${path}${name}.`);
  });
}

/** Returns the full name of a type. proto-loader omits the packages that the type shares with the referring message. */
function resolvedName(definitions: PackageDefinition, home: string, typeName: string): string {
  for (let scope = home; scope !== ''; scope = scope.slice(0, Math.max(scope.lastIndexOf('.'), 0))) {
    if (definitions[`${scope}.${typeName}`] !== undefined) return `${scope}.${typeName}`;
  }
  if (definitions[typeName] === undefined) throw new Error(`the protos do not declare ${typeName}`);
  return typeName;
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
        { method, probeCase: cases[name], send: (request: unknown, by: By) => send(name, request, by) },
      ]);
    }),
  );
  return declared.map(({ path, safe, ids, fieldsOf }) => {
    const { method, probeCase, send } = described.get(path) ?? {};
    const fields = (request: unknown) => [request].flat().map((each) => fieldsOf(method!.requestSerialize(each)));
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
  const input = requestStream ? each(request as readonly unknown[]) : request;
  const output = client[name]!(input, options) as AsyncIterable<unknown> | Promise<unknown>;
  if (!responseStream) return output;
  const messages: unknown[] = [];
  for await (const message of output as AsyncIterable<unknown>) messages.push(message);
  return messages;
}

async function* each(messages: readonly unknown[]): AsyncGenerator {
  yield* messages;
}

/** Whether an error means that the core does not serve the RPC. A core of another version may not have the service. */
function isNotServed(error: unknown): boolean {
  const { cause = error } = error as Error;
  return cause instanceof Error && /^UNIMPLEMENTED: | is not served$/.test(cause.message);
}
