import type { MethodDefinition } from '../types.ts';

/** Converts messages between caller and handler. */
export interface Wire {
  request(message: unknown): unknown;
  response(message: unknown): unknown;
}

/** Passes the message itself, without a copy. */
export const direct: Wire = { request: (message) => message, response: (message) => message };

/**
 * Passes the message as it would arrive over a network, frozen so that no code relies on sharing it. Throws if it
 * cannot be encoded.
 */
export function verifyingWire(definition: MethodDefinition): Wire {
  return {
    request: (message) => deepFreeze(definition.requestDeserialize(definition.requestSerialize(message))),
    response: (message) => deepFreeze(definition.responseDeserialize(definition.responseSerialize(message))),
  };
}

function deepFreeze(value: unknown): unknown {
  // Typed arrays cannot be frozen.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
