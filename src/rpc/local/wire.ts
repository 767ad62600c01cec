import type { MethodDefinition } from '../types.ts';

/** What a message becomes on its way between caller and handler. */
export interface Wire {
  request(message: unknown): unknown;
  response(message: unknown): unknown;
}

/** The message itself: nothing is copied. */
export const direct: Wire = { request: (message) => message, response: (message) => message };

/** What arrives over a real wire, frozen, so that nobody relies on sharing it. Throws where it cannot be encoded. */
export function verified(definition: MethodDefinition): Wire {
  return {
    request: (message) => deepFreeze(definition.requestDeserialize(definition.requestSerialize(message))),
    response: (message) => deepFreeze(definition.responseDeserialize(definition.responseSerialize(message))),
  };
}

function deepFreeze(value: unknown): unknown {
  // Views of bytes cannot be frozen.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
