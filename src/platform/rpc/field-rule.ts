// The rules of fields, for code that needs a bound of them beyond the check of a request.
import type { FieldRule } from '../../../proto/gen/authservice/rule/v1/rule.ts';
import type { Violation } from '../errors.ts';
import { ownDescriptors } from './contract/descriptors.ts';
import { checkLength } from './contract/text-checks.ts';

/** The rules of a field such as `authservice.business.v1.OrderLine.quantity`. */
export function fieldRule(field: string): FieldRule {
  return ownDescriptors().ruleNamed(field);
}

/** The violation of a text that is not as long as a rule requires; undefined if it is. */
export function lengthViolation(field: string, text: string, rule: FieldRule): Violation | undefined {
  const fault = checkLength(text, rule);
  return fault && { ...fault, props: [field] };
}
