// JSON bodies made from a schema: much of them right, and some of it wrong.
import fc from 'fast-check';
import { anyText } from '../../support/texts.ts';

/** As much of a JSON schema as the bodies' schemas have. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
}

/** How many good values come with a bad one. */
const GOOD = 30;

/** Good values of members, by name at whatever depth, where the schema does not tell which these are. */
export type Samples = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const text = fc.oneof(
  anyText({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom('', ' ', '\0', '\ud800', 'x\udfff', '%', '\\', "'; --", '🌹'.repeat(1_001), 'null', '2026-02-30'),
);
const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 1, -1, 0.5, 1e9, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300),
);
const anything = fc.oneof(text, number, fc.jsonValue(), fc.constantFrom(null, true, [], {}, [[]], [null]));
const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'version', 'customer_id', 'toString', 'more'));

/** Values that a schema may or may not allow. */
export function hostileBodies(schema: object, samples: Samples = {}): fc.Arbitrary<unknown> {
  return valuesOf(schema, samples);
}

function valuesOf(schema: Schema, samples: Samples): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: GOOD, arbitrary: likely(schema, samples) }, { weight: 1, arbitrary: anything });
}

function likely({ type, enum: names, ...schema }: Schema, samples: Samples): fc.Arbitrary<unknown> {
  const types = [type ?? []].flat();
  if (names) return fc.constantFrom(...names);
  if (schema.properties) return objects({ ...schema, properties: schema.properties }, samples);
  if (schema.items) return fc.array(valuesOf(schema.items, samples), { maxLength: 4 });
  if (types.includes('integer')) return fc.integer({ min: schema.minimum ?? 0, max: (schema.maximum ?? 100) + 1 });
  if (types.includes('string')) {
    const { minLength = 0, maxLength = 20 } = schema;
    return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 50) });
  }
  return anything;
}

function objects(
  { properties, required = [] }: Schema & Required<Pick<Schema, 'properties'>>,
  samples: Samples,
): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => {
    const sample = samples[name];
    if (sample === undefined) return [name, valuesOf(schema, samples)] as const;
    return [name, fc.oneof({ weight: GOOD, arbitrary: sample }, { weight: 1, arbitrary: anything })] as const;
  });
  const known = (requiredKeys: readonly string[]) =>
    fc.record<Record<string, unknown>, string>(Object.fromEntries(members), { requiredKeys: [...requiredKeys] });
  const more = fc.dictionary(key, anything, { minKeys: 1, maxKeys: 2 });
  return fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: known(required) }, { weight: 1, arbitrary: known([]) }),
      fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: more }),
    )
    .map(([given, added]) => ({ ...given, ...added }));
}
