import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileLiteral } from '../../src/platform/db/object-literal.ts';
import { CODE_POINT } from '../support/code-points.ts';

/** Any text, and the one that would set the prototype in a literal. */
const NAME = fc.oneof({ weight: 9, arbitrary: fc.string({ unit: CODE_POINT }) }, fc.constant('__proto__'));

describe('a compiled literal', () => {
  it('has each member of an array, whatever its name', () => {
    const pairs = fc.uniqueArray(fc.tuple(NAME, fc.anything()), { selector: ([name]) => name, maxLength: 30 });
    fc.assert(
      fc.property(pairs, (members) => {
        const create = compileLiteral(members.map(([name], source) => ({ name, source })));
        const created = create(members.map(([, value]) => value));
        expect(Object.keys(created).toSorted()).toEqual(members.map(([name]) => name).toSorted());
        for (const [name, value] of members) expect(created[name]).toBe(value);
      }),
    );
  });

  it('converts members of an object, and adds the further one', () => {
    const create = compileLiteral(
      [
        { name: 'count', source: 'c' },
        { name: 'is"Open', source: "o'", convert: (value) => value === 1 },
      ],
      'tenantId',
    );
    expect(create({ c: 3, "o'": 1 }, 'acme')).toEqual({ count: 3, 'is"Open': true, tenantId: 'acme' });
    expect(create({}, undefined)).toEqual({ count: undefined, 'is"Open': false, tenantId: undefined });
  });
});
