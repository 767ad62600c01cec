// The RPCs of a core, as the protos declare them.
import { globSync } from 'node:fs';
import { IdempotencyLevel, loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';
import { RpcError } from '../../src/rpc/errors/rpc-error.ts';
import type { CallOptions, Client, MethodDefinition, ServiceDefinition } from '../../src/rpc/types.ts';
import { differences, NOT_SERVED, type Answer } from './answer.ts';
import type { By, Operation } from './operation.ts';
import type { RpcLines } from './rpc-line.ts';

/** Makes a client of one service. */
export type Connect = <Definition extends ServiceDefinition>(definition: Definition) => Client<Definition>;

/** An RPC as its declaration has it. */
export interface DeclaredRpc {
  /** `/authservice.session.v1.SessionService/Login` */
  readonly path: string;
  /** Whether it is declared to have no side effects. */
  readonly safe: boolean;
  /** Where its request can name a record: `order.items.product_id`. */
  readonly ids: readonly string[];
  /** A request's fields by their names in the proto. */
  readonly fieldsOf: (bytes: Buffer) => object;
}

/** As much of a message's descriptor as is looked at. */
interface Descriptor {
  readonly name: string;
  readonly field: readonly { readonly name: string; readonly type: string; readonly typeName: string }[];
  /** The messages that are declared within it, the entries of its maps among them. */
  readonly nestedType: readonly Descriptor[];
}

// A client id and a username are names that their owners give, one space of them for all tenants.
const NAMES_A_RECORD = /^(?!client_id$)(?:.*_id|id|uuid)$/;

/**
 * Reads every RPC from the protos.
 * @param roots directories that hold .proto files and that their imports are relative to
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

/** @param outer the messages that the type is declared within */
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

/** A type's full name: proto-loader leaves out the packages that it shares with the message that names it. */
function resolvedName(definitions: PackageDefinition, home: string, typeName: string): string {
  for (let scope = home; scope !== ''; scope = scope.slice(0, Math.max(scope.lastIndexOf('.'), 0))) {
    if (definitions[`${scope}.${typeName}`] !== undefined) return `${scope}.${typeName}`;
  }
  if (definitions[typeName] === undefined) throw new Error(`the protos declare no ${typeName}`);
  return typeName;
}

/** Every declared RPC with its line. */
export function rpcsOf(
  declared: readonly DeclaredRpc[],
  services: readonly RpcLines[],
  connect: Connect,
  as: Readonly<Record<By, CallOptions>>,
): Operation<unknown>[] {
  const described = new Map(
    services.flatMap(({ definition, lines }) => {
      const send = sender(definition, connect, as);
      return Object.entries(definition).map(([name, method]) => [
        method.path,
        { method, line: lines[name], send: (request: unknown, by: By) => send(name, request, by) },
      ]);
    }),
  );
  return declared.map(({ path, safe, ids, fieldsOf }) => {
    const { method, line, send } = described.get(path) ?? {};
    const fields = (request: unknown) => [request].flat().map((each) => fieldsOf(method!.requestSerialize(each)));
    return {
      surface: 'RPC',
      name: path.slice(1),
      safe,
      ids,
      line,
      send: send ?? notServed,
      differences: (one, other) => differences(fields(one), fields(other)),
      variants: (request) => [request],
    };
  });
}

const notServed = async (): Promise<Answer> => ({ outcome: NOT_SERVED, whole: '', body: undefined });

function sender(definition: ServiceDefinition, connect: Connect, as: Readonly<Record<By, CallOptions>>) {
  let client: Client<ServiceDefinition> | undefined;
  return async (name: string, request: unknown, by: By): Promise<Answer> => {
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

/** A core of another version may lack a service. */
function isNotServed(error: unknown): boolean {
  const { cause = error } = error as Error;
  return cause instanceof Error && /^UNIMPLEMENTED: | is not served$/.test(cause.message);
}
