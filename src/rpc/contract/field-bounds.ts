// Which bounds a field of a request needs, and whether its rules provide them.
import { ScalarType } from '@bufbuild/protobuf';
import type { FieldRule } from '../../../proto/gen/authservice/rule/v1/rule.ts';
import type { DescField, DescMessage, Descriptors } from './descriptors.ts';

const FIELD_MASK = 'google.protobuf.FieldMask';
/** Messages that become one value of JavaScript. */
const SCALAR_MESSAGES: ReadonlySet<string> = new Set(['google.protobuf.Timestamp', 'google.protobuf.Duration']);

/** How a field's value is checked. */
export interface FieldShape {
  /** `one`: a single value; `list`: an array; `map`: an object. */
  readonly container: 'one' | 'list' | 'map';
  /** Whether the value, or each of its items, is a string or bytes. */
  readonly sized: boolean;
  /** Whether the keys of the map are strings. */
  readonly sizedKeys: boolean;
  /** The type of the value, or of each item, if it is a message with fields. */
  readonly message: DescMessage | undefined;
}

export function shapeOf(field: DescField): FieldShape {
  if (field.message?.typeName === FIELD_MASK && field.fieldKind === 'message') {
    return { container: 'list', sized: true, sizedKeys: false, message: undefined };
  }
  const container = field.fieldKind === 'list' || field.fieldKind === 'map' ? field.fieldKind : 'one';
  const message = field.message && !SCALAR_MESSAGES.has(field.message.typeName) ? field.message : undefined;
  const sizedKeys = field.fieldKind === 'map' && field.mapKey === ScalarType.STRING;
  const sized = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES;
  return { container, sized, sizedKeys, message };
}

/** What is wrong with the rules of a field; undefined if nothing is. */
function problemOf(shape: FieldShape, rule: FieldRule | undefined): string | undefined {
  const single = shape.container === 'one';
  const needsMax = shape.sized || shape.sizedKeys;
  const { max = 0, items = 0, record = false, inline = false } = rule ?? {};
  if (max < 0 || items < 0) return 'a bound is negative';
  if (needsMax && max === 0) return 'max is missing';
  if (!single && items === 0) return 'items is missing';
  if (!needsMax && max > 0) return 'max does not fit the type';
  if (single && items > 0) return 'items does not fit the type';
  if (record && !(single && (shape.sized || shape.message !== undefined))) return 'record does not fit the type';
  if (inline && !(single && shape.message !== undefined)) return 'inline does not fit the type';
  return undefined;
}

/** The fields of a request, nested messages included, whose bounds are missing or whose rules do not fit, as `name: problem`. */
export function boundProblems(request: DescMessage, { ruleOf }: Pick<Descriptors, 'ruleOf'>): string[] {
  const problems: string[] = [];
  const seen = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (seen.has(message)) return;
    seen.add(message);
    for (const field of message.fields) {
      const shape = shapeOf(field);
      const problem = problemOf(shape, ruleOf(field));
      if (problem !== undefined) problems.push(`${message.typeName}.${field.name}: ${problem}`);
      if (shape.message) visit(shape.message);
    }
  };
  visit(request);
  return problems;
}
