// JSON schemas: formats, keywords, compilers, and the violations that they report.
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import type { Violation } from '../../src/platform/errors.ts';
import { createViolationList } from '../../src/platform/rpc/errors/violations.ts';

const UNESCAPED: Readonly<Record<string, string>> = { '~0': '~', '~1': '/' };

/** Returns the members of a JSON pointer (RFC 6901 section 4), outermost first. */
function pointerMembers(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((member) => member.replace(/~[01]/g, (escape) => UNESCAPED[escape] ?? escape));
}

/** Converts Ajv's errors to violations: the first ones, then one with the number of omitted ones. */
export function violationsOf(errors: readonly FastifySchemaValidationError[]): readonly Violation[] {
  const violations = createViolationList();
  for (const error of errors) {
    if (violations.full) violations.skip(1);
    else violations.add(toViolation(error));
  }
  return violations.toArray();
}

function toViolation(error: FastifySchemaValidationError): Violation {
  const member = error.params['missingProperty'] ?? error.params['additionalProperty'];
  const props = pointerMembers(error.instancePath);
  if (typeof member === 'string') props.push(member);
  return {
    message: error.message ?? 'is not valid',
    format: error.keyword,
    ...(props.length > 0 && { props }),
    params: error.params,
  };
}
