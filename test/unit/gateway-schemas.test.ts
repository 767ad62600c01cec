// The builders of schemas against TypeBox's own: the same schemas, without loading TypeBox in the service.
import { Type as TypeBox } from 'typebox';
import { expect, it } from 'vitest';
import { Type } from '../../gateway/type.ts';

const OPTIONS = { description: 'Shown.', title: 'Named' };

const build = (type: Pick<typeof TypeBox, keyof typeof Type>) => ({
  array: type.Array(type.String(), { maxItems: 2 }),
  boolean: type.Boolean(OPTIONS),
  enum: type.Enum(['a', 'b'], OPTIONS),
  integer: type.Integer({ minimum: 1 }),
  literals: [type.Literal('a', OPTIONS), type.Literal(1), type.Literal(true)],
  object: type.Object({ a: type.String(), b: type.Optional(type.Integer(OPTIONS)) }, { additionalProperties: false }),
  objectOfOptional: type.Object({ b: type.Optional(type.Unsafe<number | undefined>(type.Integer())) }),
  nothing: type.Object({}),
  optional: type.Optional(type.String(OPTIONS)),
  string: type.String({ maxLength: 3 }),
  unsafe: type.Unsafe<undefined>({ type: 'null', ...OPTIONS }),
});

it('builds the schemas that TypeBox builds, member by member in the same order', () => {
  expect(JSON.stringify(build(Type))).toBe(JSON.stringify(build(TypeBox)));
});

it('does not change the schema that becomes optional', () => {
  const text = Type.String();
  Type.Optional(text);
  expect(Type.Object({ text })).toMatchObject({ required: ['text'] });
});
