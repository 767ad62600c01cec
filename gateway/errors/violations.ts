import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import type { Violation } from '../../src/errors.ts';

const UNESCAPED: Readonly<Record<string, string>> = { '~0': '~', '~1': '/' };

/** The members of a JSON pointer (RFC 6901 section 4), outermost first. */
function pointerMembers(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((member) => member.replace(/~[01]/g, (escape) => UNESCAPED[escape] ?? escape));
}

/** A body of junk breaks a rule in each of its parts; nobody reads more than this. */
const MAX_VIOLATIONS = 100;

/** Turns what Ajv reports into violations: one for each broken rule, up to a hundred. */
export function violationsOf(errors: readonly FastifySchemaValidationError[]): Violation[] {
  return errors.slice(0, MAX_VIOLATIONS).map((error) => {
    const member = error.params['missingProperty'] ?? error.params['additionalProperty'];
    const props = pointerMembers(error.instancePath);
    if (typeof member === 'string') props.push(member);
    return {
      message: error.message ?? 'is not valid',
      format: error.keyword,
      ...(props.length > 0 && { props }),
      params: error.params,
    };
  });
}
