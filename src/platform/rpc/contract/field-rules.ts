// Checks that the rules of a field fit its type and provide the limits that it needs.
import { ScalarType } from '@bufbuild/protobuf';
import { FieldRule, Format } from '../../../../proto/gen/authservice/rule/v1/rule.ts';
import { createMessage } from '../message.ts';
import type { DescField, DescMessage, Descriptors } from './descriptors.ts';
import { TEXT_FORMATS, TIME_FORMATS } from './formats.ts';
import { defaultOf, isMask, isWhole } from './values.ts';

const TIMESTAMP = 'google.protobuf.Timestamp';
/** Messages that are a single JavaScript value. */
const SCALAR_MESSAGES: ReadonlySet<string> = new Set([TIMESTAMP, 'google.protobuf.Duration']);

/** The rules of a field without declared rules. */
export const NO_RULE: FieldRule = Object.freeze(createMessage(FieldRule));

/** How a field's value is checked. */
export interface FieldShape {
  /** `one`: a single value; `list`: an array; `map`: an object. */
  readonly container: 'one' | 'list' | 'map';
  /** Whether the value, or each of its items, is a string or bytes. */
  readonly sized: boolean;
  /** Whether the value, or each of its items, is a string. */
  readonly text: boolean;
  /** Whether the keys of the map are strings. */
  readonly sizedKeys: boolean;
  /** Whether the value is a whole number. */
  readonly whole: boolean;
  /** Whether the value is a google.protobuf.Timestamp. */
  readonly time: boolean;
  /** The type of the value, or of each item, if it is a message with fields. */
  readonly message: DescMessage | undefined;
}

const PATHS: FieldShape = {
  container: 'list',
  sized: true,
  text: true,
  sizedKeys: false,
  whole: false,
  time: false,
  message: undefined,
};

export function shapeOf(field: DescField): FieldShape {
  if (isMask(field)) return PATHS;
  const { fieldKind, message, scalar } = field;
  const text = scalar === ScalarType.STRING;
  return {
    container: fieldKind === 'list' || fieldKind === 'map' ? fieldKind : 'one',
    sized: text || scalar === ScalarType.BYTES,
    text,
    sizedKeys: fieldKind === 'map' && field.mapKey === ScalarType.STRING,
    whole: fieldKind === 'scalar' && isWhole(field.scalar),
    time: fieldKind === 'message' && message?.typeName === TIMESTAMP,
    message: message && !SCALAR_MESSAGES.has(message.typeName) ? message : undefined,
  };
}

type IsProblem = (field: DescField, shape: FieldShape, rule: FieldRule) => boolean;

type Problem = readonly [text: string, isProblem: IsProblem];

/** The bounds that a field of a request needs. */
const NEEDS: readonly Problem[] = [
  ['max is missing', (_field, shape, rule) => rule.max === 0 && needsMax(shape, rule)],
  ['items is missing', (_field, { container }, { items }) => container !== 'one' && items === 0],
];

/** The problems that make a rule invalid, in the order of their checks. */
const MISFITS: readonly Problem[] = [
  ['a bound is negative', (_field, _shape, { max, items }) => max < 0 || items < 0],
  ['max does not fit the type', (_field, shape, { max }) => max > 0 && !(needsSize(shape) || shape.whole)],
  ['items does not fit the type', (_field, { container }, { items }) => container === 'one' && items > 0],
  [
    'min does not fit the type',
    (_field, { whole }, rule) =>
      rule.min !== 0 && (!(whole || hasLength(rule)) || (rule.max > 0 && rule.min > rule.max)),
  ],
  [
    'unique does not fit the type',
    (_field, { container, text }, { unique }) => unique && !(container === 'list' && text),
  ],
  ['nonempty does not fit the type', (_field, { container }, { nonempty }) => nonempty && container !== 'list'],
  ['format does not fit the type', (_field, shape, { format }) => !fitsFormat(shape, format)],
  ['the default does not fit the type', hasBadDefault],
  ['names_of names no enum', (_field, _shape, { namesOf, allowed }) => namesOf !== '' && allowed.length === 0],
  ['allowed does not fit the type', (_field, { text }, { allowed }) => allowed.length > 0 && !text],
  ['FORMAT_SORT needs allowed', (_field, _shape, rule) => isSort(rule) && rule.allowed.length === 0],
  ['record does not fit the type', (_field, shape, { record }) => record && !isSingle(shape, shape.sized)],
  ['inline does not fit the type', (_field, shape, { inline }) => inline && !isSingle(shape, false)],
  ['masked_by names no mask of the message', hasBadMask],
  ['masked_by needs inline', (_field, _shape, { maskedBy, inline }) => maskedBy !== '' && !inline],
  [
    'required does not fit the type',
    ({ scalar, fieldKind }, _shape, { required }) => required && fieldKind === 'scalar' && scalar === ScalarType.BOOL,
  ],
];

const needsSize = ({ sized, sizedKeys }: FieldShape): boolean => sized || sizedKeys;
const isSort = ({ format }: FieldRule): boolean => format === Format.FORMAT_SORT;
const hasLength = ({ format }: FieldRule): boolean => TEXT_FORMATS[format]?.needsMax === true;
const isSingle = ({ container, message }: FieldShape, alsoIf: boolean): boolean =>
  container === 'one' && (alsoIf || message !== undefined);

function needsMax(shape: FieldShape, { format, allowed }: FieldRule): boolean {
  if (!needsSize(shape)) return false;
  const isBounded = TEXT_FORMATS[format]?.needsMax === false || (format === 0 && allowed.length > 0);
  return !(isBounded && shape.text && !shape.sizedKeys);
}

function fitsFormat({ text, whole, time, sizedKeys }: FieldShape, format: Format): boolean {
  if (format === Format.FORMAT_UNSPECIFIED) return true;
  if (format === Format.FORMAT_MONEY) return whole;
  return TIME_FORMATS.has(format) ? time : TEXT_FORMATS[format] !== undefined && text && !sizedKeys;
}

function hasBadDefault(field: DescField, _shape: FieldShape, rule: FieldRule): boolean {
  return rule.defaultValue !== '' && defaultOf(field, rule) === undefined;
}

function hasBadMask({ parent }: DescField, shape: FieldShape, { maskedBy }: FieldRule): boolean {
  if (maskedBy === '') return false;
  return !isSingle(shape, false) || !parent.fields.some((field) => field.name === maskedBy && isMask(field));
}

/** The fields of a request, nested messages included, whose bounds are missing or whose rules do not fit, as `name: problem`. */
export function requestProblems(request: DescMessage, rules: Pick<Descriptors, 'ruleOf'>): string[] {
  return problemsOf(request, rules, [...NEEDS, ...MISFITS]);
}

/** The fields of a response, nested messages included, whose rules do not fit. */
export function responseProblems(response: DescMessage, rules: Pick<Descriptors, 'ruleOf'>): string[] {
  return problemsOf(response, rules, MISFITS);
}

function problemsOf(root: DescMessage, { ruleOf }: Pick<Descriptors, 'ruleOf'>, checks: readonly Problem[]): string[] {
  const problems: string[] = [];
  const seen = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (seen.has(message)) return;
    seen.add(message);
    for (const field of message.fields) {
      const shape = shapeOf(field);
      const rule = ruleOf(field) ?? NO_RULE;
      const problem = checks.find(([, isProblem]) => isProblem(field, shape, rule));
      if (problem !== undefined) problems.push(`${message.typeName}.${field.name}: ${problem[0]}`);
      if (shape.message) visit(shape.message);
    }
  };
  visit(root);
  return problems;
}
