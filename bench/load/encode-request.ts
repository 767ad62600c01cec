import { create, fromJson, toBinary, type JsonValue } from '@bufbuild/protobuf';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';

/**
 * Encodes a request from proto JSON. Throws if the RPC is unknown or streams, or if the JSON does not match the message.
 *
 * @param rpc `authservice.session.v1.SessionService/Login`.
 */
export function encodeRequest(rpc: string, json: unknown): Uint8Array {
  const method = ownDescriptors().methods.find(({ parent, name }) => `${parent.typeName}/${name}` === rpc);
  if (method === undefined) throw new Error(`There is no RPC ${rpc}`);
  if (method.methodKind !== 'unary') throw new Error(`${rpc} is a stream`);
  const message = json === undefined ? create(method.input) : fromJson(method.input, json as JsonValue);
  return toBinary(method.input, message);
}
