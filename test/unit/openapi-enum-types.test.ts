// The types that enums and optional values have in the OpenAPI document.
import { expect, it } from 'vitest';
import { Format, FieldRule } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { withDocumented } from '../../gateway/schema/documented.ts';
import { nullable, textSchema } from '../../gateway/contract/value-schemas.ts';
import { withEnumTypes } from '../../gateway/openapi/components.ts';
import { createMessage } from '../../src/platform/rpc/message.ts';

it('adds a type to enums of texts, with null if it is a value', () => {
  expect(withEnumTypes({ a: { enum: ['X', 'Y'] }, b: [{ enum: ['X', null] }] })).toEqual({
    a: { type: 'string', enum: ['X', 'Y'] },
    b: [{ type: ['string', 'null'], enum: ['X', null] }],
  });
});

it.each([[{ enum: [1, 2] }], [{ enum: [null] }], [{ enum: [] }], [{ type: 'integer', enum: ['X'] }], [{ enum: {} }]])(
  'does not change %j',
  (schema) => expect(withEnumTypes(schema)).toEqual(schema),
);

it('keeps null in the type of a nullable value', () => {
  const currency = textSchema(createMessage(FieldRule, { format: Format.FORMAT_CURRENCY }));
  expect(withDocumented(currency)).toMatchObject({ type: 'string', enum: expect.not.arrayContaining([null]) });
  expect(withDocumented(nullable(currency))).toMatchObject({
    type: ['string', 'null'],
    enum: expect.arrayContaining(['EUR', null]),
  });
});
