// Optional request bodies: @fastify/swagger marks every body as required.
import type { Document } from './components.ts';

/** Marks an operation whose body is optional. */
export const OPTIONAL_BODY = 'x-optional-body';

/** Returns a copy of a document with optional bodies for marked operations, without the marks. */
export function withOptionalBodies(document: Document): Document {
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const described = Object.entries(operations).map(([method, operation]) => {
      const { [OPTIONAL_BODY]: isOptional, ...others } = operation as typeof operation & { [OPTIONAL_BODY]?: true };
      const body = others.requestBody;
      return [method, isOptional && body ? { ...others, requestBody: { ...body, required: false } } : others];
    });
    return [path, Object.fromEntries(described)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
