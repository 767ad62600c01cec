// The rules that the protos declare for request fields: violations, and the message for the handler.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Violation } from '../../src/platform/errors.ts';
import { readContracts } from '../../src/platform/rpc/contract/contracts.ts';
import {
  MisfitServiceService as Misfit,
  RulesServiceService as Rules,
  type ApplyRequest,
  type ChangeFields,
  type ChangeRequest,
} from '../proto/gen/kittest/v1/echo.ts';

const CONTRACTS = readContracts(new URL('../proto/gen/descriptors.binpb', import.meta.url));
const apply = CONTRACTS.get(Rules.apply.path)!.validate;
const change = CONTRACTS.get(Rules.change.path)!.validate;

const EMPTY: ApplyRequest = { sort: '', page: 0, colour: 0, wall: 0, colours: [], items: [], domains: [] };
const ID = '0199d0a0-0000-7000-8000-000000000000';

/** The violations as `field: format`. */
const labels = (violations: readonly Violation[]) =>
  violations.map(({ props, format }) => `${props?.join('.')}: ${format}`);
const faultsOf = (fields: Partial<ApplyRequest>) => labels(apply.inspect({ ...EMPTY, ...fields }).violations);
const handled = (fields: Partial<ApplyRequest>) => apply({ ...EMPTY, ...fields });

describe('the value of a field', () => {
  type Row = [fields: Partial<ApplyRequest>, ...faults: string[]];
  it.each<Row>([
    [{ text: '' }, 'text: length'],
    [{ text: ' \n ' }, 'text: length'],
    [{ text: 'sixsix' }, 'text: length'],
    [{ text: '🌹🌹🌹🌹🌹' }],
    [{ text: 'a\u0000' }, 'text: characters'],
    [{ text: 'a\n\tb' }],
    [{ email: 'a@b' }],
    [{ email: 'a@b@c' }, 'email: email'],
    [{ email: 'a b@c' }, 'email: email'],
    [{ email: 'aaaaaaaa@b' }, 'email: length'],
    [{ phone: '+4' }],
    [{ phone: 'x' }, 'phone: phone'],
    [{ phone: '\u0661' }, 'phone: phone'],
    [{ search: '' }],
    [{ search: ' ' }],
    [{ search: 'sixsix' }, 'search: length'],
    [{ sort: '' }],
    [{ sort: '-age,name' }],
    [{ sort: 'age,-age' }, 'sort: sort'],
    [{ sort: '--age' }, 'sort: sort'],
    [{ sort: 'constructor' }, 'sort: sort'],
    [{ sort: ',' }, 'sort: sort'],
    [{ id: ID }],
    [{ id: ID.toUpperCase() }, 'id: uuid'],
    [{ id: '' }, 'id: uuid'],
    [{ other: ID }],
    [{ other: `${ID}\n` }, 'other: reference'],
    [{ day: '2024-02-29' }],
    [{ day: '2023-02-29' }, 'day: date'],
    [{ day: '' }, 'day: date'],
    [{ currency: 'EUR' }],
    [{ currency: ' EUR' }, 'currency: currency'],
    [{ currency: 'XYZ' }, 'currency: currency'],
    [{ label: ' a ' }],
    [{ label: ' ' }, 'label: length'],
    [{ label: 'sixsix' }, 'label: length'],
    [{ label: 'a\u202e' }, 'label: characters'],
    [{ key: '!~' }],
    [{ key: 'a b' }, 'X-Key: pattern'],
    [{ key: '' }, 'X-Key: pattern'],
    [{ key: 'sixsix' }, 'X-Key: pattern'],
    [{ price: 0 }],
    [{ price: 999 }],
    [{ price: 1000 }, 'price: range'],
    [{ price: -1 }, 'price: range'],
    [{ number: 2 }],
    [{ number: 1 }, 'number: range'],
    [{ number: 2.5 }, 'number: range'],
    [{ number: Number.NaN }, 'number: range'],
    [{ page: 10 }, 'page: range'],
    [{ page: -1 }, 'page: range'],
    [{ at: new Date(0) }],
    [{ at: new Date(-1) }, 'at: date-time'],
    [{ at: new Date(Number.NaN) }, 'at: date-time'],
    [{ at: new Date(Date.UTC(10_000, 0)) }, 'at: date-time'],
    [{ colour: 2 }],
    [{ colour: 3 as 2 }, 'colour: enum'],
    [{ colour: -1 }, 'colour: enum'],
    [{ side: 'left' }],
    [{ side: 'LEFT' }, 'side: enum'],
    [{ colours: [1, 3 as 2] }, 'colours.1: enum'],
    [{ colours: [1, 1, 1] }, 'colours: maxItems'],
    [{ items: [{ name: 'x' }, { name: ' ' }] }, 'items.1.name: length'],
    [{ fileName: ' a b.txt ' }],
    [{ fileName: ' ' }, 'fileName: length'],
    [{ fileName: '0123456789' }, 'fileName: length'],
    [{ fileName: 'a/b' }, 'fileName: characters'],
    [{ fileName: 'a\\b' }, 'fileName: characters'],
    [{ fileName: 'a\u0000b' }, 'fileName: characters'],
    [{ fileName: 'a\r\nb' }, 'fileName: characters'],
    [{ fileName: 'a\u202Egnp.b' }, 'fileName: characters'],
    [{ mediaType: 'text/plain; charset="utf-8"' }],
    [{ mediaType: 'text' }, 'mediaType: media-type'],
    [{ mediaType: '' }, 'mediaType: length'],
    [{ mediaType: `a/${'b'.repeat(125)}` }],
    [{ mediaType: `a/${'b'.repeat(126)}` }, 'mediaType: length'],
    [{ domains: ['A.test', 'b\u00fccher.example'] }],
    [{ domains: ['a.test', '10.0.0.1'] }, 'domains.1: domain'],
    [{ domains: ['a b.test'] }, 'domains.0: domain'],
    [{ password: 'x'.repeat(11) }, 'password: length'],
    [{ password: 'x'.repeat(12) }],
    [{ password: 'x'.repeat(1025) }, 'password: length'],
    [{ oldPassword: 'x' }],
    [{ oldPassword: '' }, 'oldPassword: length'],
    [{ oldPassword: 'x'.repeat(1025) }, 'oldPassword: length'],
    [{ size: 1 }],
    [{ size: Number.MAX_SAFE_INTEGER }],
    [{ size: 0 }, 'size: range'],
    [{ size: 1.5 }, 'size: range'],
    [{ paint: 'RED' }],
    [{ paint: 'COLOUR_RED' }, 'paint: enum'],
    [{ paint: 'UNSPECIFIED' }, 'paint: enum'],
    [{ colour: 9 as 2, text: '', page: 99 }, 'text: length', 'page: range', 'colour: enum'],
  ])('%j', (fields, ...faults) => {
    expect(faultsOf(fields)).toEqual(faults);
  });

  it.each<[fields: Partial<ApplyRequest>, violation: Violation]>([
    [
      { text: '' },
      {
        message: 'must have 1 to 5 characters',
        format: 'length',
        props: ['text'],
        params: { minimum: 1, maximum: 5 },
      },
    ],
    [
      { sort: 'x' },
      {
        message: 'must be some of name, age, each once, with a minus for descending',
        format: 'sort',
        props: ['sort'],
        params: { allowed: ['name', 'age'] },
      },
    ],
    [
      { number: 10 },
      { message: 'must be between 2 and 9', format: 'range', props: ['number'], params: { minimum: 2, maximum: 9 } },
    ],
    [
      { colour: 7 as 2 },
      { message: 'must be one of RED, BLUE', format: 'enum', props: ['colour'], params: { allowed: ['RED', 'BLUE'] } },
    ],
  ])('%j is rejected with the parameters of the rule', (fields, violation) => {
    expect(apply.inspect({ ...EMPTY, ...fields }).violations).toEqual([violation]);
  });
});

describe('the message for the handler', () => {
  it('has trimmed texts and defaults, and no empty search text', () => {
    expect(handled({ text: ' x\n', label: ' y ', search: '', items: [{ name: ' y ' }, { name: 'z' }] })).toEqual({
      ...EMPTY,
      text: 'x',
      label: ' y ',
      search: undefined,
      page: 1,
      wall: 2,
      items: [{ name: 'y' }, { name: 'z' }],
    });
  });

  it('has trimmed file names and media types, and domains in canonical form', () => {
    const given = { fileName: ' a.txt\n', mediaType: ' a/b ', domains: ['A.test', 'b\u00fccher.example'] };
    expect(handled(given)).toMatchObject({
      fileName: 'a.txt',
      mediaType: 'a/b',
      domains: ['a.test', 'xn--bcher-kva.example'],
    });
  });

  it('is the same object if nothing changes', () => {
    const message = { ...EMPTY, text: 'x', page: 3, wall: 1, items: [{ name: 'y' }] } as const;
    expect(apply(message)).toBe(message);
  });

  it('has valid values unchanged, and the received message is not modified', () => {
    const good = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 5 }).filter((text) => text.trim() !== '');
    const blank = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\u00a0'), maxLength: 3 });
    fc.assert(
      fc.property(good, blank, blank, fc.integer({ min: 0, max: 9 }), (text, before, after, page) => {
        const message = Object.freeze({ ...EMPTY, text: before + text + after, page });
        const kept = { ...message };
        expect(apply(message)).toEqual({ ...message, text: text.trim(), page: page || 1, wall: 2 });
        expect(message).toEqual(kept);
      }),
    );
  });

  it('passes a second check unchanged, for any input', () => {
    const any = fc.record(
      {
        text: fc.string({ maxLength: 8 }),
        email: fc.oneof(fc.string({ maxLength: 9 }), fc.constantFrom('a@b', ' a@b ')),
        phone: fc.string({ unit: fc.constantFrom('1', ' ', 'x'), maxLength: 6 }),
        sort: fc.constantFrom('', 'name', '-name,age', 'name,name', 'x'),
        page: fc.integer({ min: -1, max: 11 }),
        wall: fc.constantFrom(0, 1, 2),
        number: fc.integer({ min: 0, max: 11 }),
        domains: fc.array(fc.oneof(fc.domain(), fc.constantFrom('A.test', '-', 'b\u00fccher.example')), {
          maxLength: 2,
        }),
        fileName: fc.string({ maxLength: 10 }),
        mediaType: fc.constantFrom('a/b', ' a/b;c=d', 'a', ''),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(any, (fields) => {
        const { message, violations } = apply.inspect({ ...EMPTY, ...fields });
        if (violations.length === 0) expect(apply(message)).toBe(message);
        else expect(() => apply({ ...EMPTY, ...fields })).toThrow();
      }),
    );
  });
});

describe('fields of a record', () => {
  const FIELDS: ChangeFields = { name: 'x', colour: 2, items: [{ name: 'y' }] };
  const changed = (request: Partial<ChangeRequest>) => change.inspect({ created: FIELDS, ...request });

  it('are all checked at a creation, also if the message is missing', () => {
    const { violations } = change.inspect({ updateMask: [] });
    expect(labels(violations)).toEqual(['name: required', 'items: required']);
  });

  it.each<[mask: string[], changed: Partial<ChangeFields>, ...faults: string[]]>([
    [[], { name: '', colour: 9 as 2 }],
    [['colour'], { name: '' }],
    [['name'], {}, 'name: required'],
    [['name', 'note_text'], { name: ' ', noteText: '' }, 'name: length', 'noteText: length'],
    [['items'], { items: [] }, 'items: required'],
    [['items'], { items: [{ name: '' }] }, 'items.0.name: length'],
    [['noteText'], {}, 'updateMask: fieldMask'],
    [['__proto__'], {}, 'updateMask: fieldMask'],
    [['constructor'], {}, 'updateMask: fieldMask'],
    [['*'], {}, 'updateMask: fieldMask'],
    [['x'.repeat(21)], {}, 'updateMask.0: length'],
    [Array<string>(6).fill('name'), { name: 'x' }, 'updateMask: maxItems'],
  ])('with the mask %j and the fields %j', (updateMask, fields, ...faults) => {
    const { violations } = changed({ updateMask, changed: { colour: 0, items: [], ...fields } });
    expect(labels(violations)).toEqual(faults);
  });

  it('require a mask in an update', () => {
    const [violation, ...more] = changed({ changed: FIELDS }).violations;
    expect(more).toEqual([]);
    expect(violation).toEqual({
      message: 'must name some of name, note_text, colour, items',
      format: 'fieldMask',
      props: ['updateMask'],
      params: { allowed: ['name', 'note_text', 'colour', 'items'] },
    });
  });

  it('get their defaults if the mask contains them without a value', () => {
    const { message } = changed({ updateMask: ['colour', 'note_text'] });
    expect(message.changed).toEqual({ colour: 1, items: [] });
    const { message: partly } = changed({
      updateMask: ['note_text'],
      changed: { ...FIELDS, colour: 0, noteText: ' z' },
    });
    expect(partly.changed).toEqual({ ...FIELDS, colour: 0, noteText: 'z' });
  });
});

it('reports rules that do not fit their fields', () => {
  expect(CONTRACTS.get(Misfit.misfit.path)!.problems).toEqual([
    'kittest.v1.MisfitRequest.number: format does not fit the type',
    'kittest.v1.MisfitRequest.money: format does not fit the type',
    'kittest.v1.MisfitRequest.time: format does not fit the type',
    'kittest.v1.MisfitRequest.text: max is missing',
    'kittest.v1.MisfitRequest.range: min does not fit the type',
    'kittest.v1.MisfitRequest.least: min does not fit the type',
    'kittest.v1.MisfitRequest.colour: the default does not fit the type',
    'kittest.v1.MisfitRequest.page: the default does not fit the type',
    'kittest.v1.MisfitRequest.sort: FORMAT_SORT needs allowed',
    'kittest.v1.MisfitRequest.allowed: allowed does not fit the type',
    'kittest.v1.MisfitRequest.fields: masked_by names no mask of the message',
    'kittest.v1.MisfitRequest.outside: masked_by needs inline',
    'kittest.v1.MisfitRequest.flag: required does not fit the type',
    'kittest.v1.MisfitRequest.paint: names_of names no enum',
  ]);
});
