// The limits that the protos declare for request fields, and the checks compiled from them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContracts } from '../../src/platform/rpc/contract/contracts.ts';
import type { Violation } from '../../src/platform/errors.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { BoundsServiceService as Bounds, type CheckItem, type CheckRequest } from '../proto/gen/kittest/v1/echo.ts';
import { anyText } from '../support/texts.ts';

const TEST_DESCRIPTORS = new URL('../proto/gen/descriptors.binpb', import.meta.url);
const { validate } = readContracts(TEST_DESCRIPTORS).get(Bounds.check.path)!;

const EMPTY: CheckRequest = {
  text: '',
  data: Buffer.alloc(0),
  texts: [],
  numbers: [],
  items: [],
  labels: {},
  numbered: {},
  recordId: '',
  number: 0,
};
const item = (name: string, children: CheckItem[] = []): CheckItem => ({ name, children });

/** `OK`, the reason, or the violations as `field: rule`. */
function outcomeOf(fields: Partial<CheckRequest>): string | string[] {
  try {
    validate({ ...EMPTY, ...fields });
    return 'OK';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.reason === 'VALIDATION_ERROR' ? error.violations.map(labelOf) : error.reason;
  }
}

const labelOf = ({ props, format }: Violation) => `${props?.join('.')}: ${format}`;

describe('the protos', () => {
  it('declare a bound for every string, bytes, repeated and map field of every request', () => {
    expect([...readContracts().values()].flatMap(({ problems }) => problems)).toEqual([]);
  });

  it.each(['Login', 'Refresh', 'Logout'])('limit the length of the browser origin in %s', (name) => {
    const { inspect } = readContracts().get(`/authservice.session.v1.SessionService/${name}`)!.validate;
    const faultsOf = (length: number) =>
      inspect({
        username: 'u',
        password: 'p',
        refreshTokens: [],
        refreshTokenTransport: 1,
        browserOrigin: 'x'.repeat(length),
      }).violations.map(labelOf);
    expect([faultsOf(300), faultsOf(301)]).toEqual([[], ['browserOrigin: length']]);
  });

  it('allow more than 256 kB only in messages with a chunk of a file', () => {
    const larger = [...readContracts()].filter(([, { maxBytes }]) => maxBytes !== 262_144);
    expect(larger).toEqual([
      ['/authservice.business.v1.FileService/UploadFile', expect.objectContaining({ maxBytes: 1_310_720 })],
      ['/authservice.business.v1.FileService/UploadProductImage', expect.objectContaining({ maxBytes: 1_310_720 })],
    ]);
  });
});

it('lists fields without a bound and rules that do not fit, in nested messages too', () => {
  expect(readContracts(TEST_DESCRIPTORS).get('/kittest.v1.UnboundService/Unbound')?.problems).toEqual([
    'kittest.v1.UnboundRequest.text: max is missing',
    'kittest.v1.UnboundRequest.texts: items is missing',
    'kittest.v1.UnboundRequest.names: max is missing',
    'kittest.v1.UnboundRequest.data: max is missing',
    'kittest.v1.UnboundRequest.numbers: items is missing',
    'kittest.v1.UnboundRequest.counts: max is missing',
    'kittest.v1.UnboundRequest.mask: max is missing',
    'kittest.v1.UnboundItem.note: max is missing',
    'kittest.v1.UnboundRequest.number: items does not fit the type',
    'kittest.v1.UnboundRequest.one: items does not fit the type',
    'kittest.v1.UnboundRequest.flag: record does not fit the type',
    'kittest.v1.UnboundRequest.inlined: inline does not fit the type',
    'kittest.v1.UnboundRequest.part_text: max is missing',
  ]);
});

describe('a length check', () => {
  it.each<[string, Partial<CheckRequest>, string | string[]]>([
    ['a text', { text: 'sixsix' }, ['text: length']],
    ['a text of as many characters, in twice the code units', { text: '🌹🌹🌹🌹🌹' }, 'OK'],
    ['a text of more characters', { text: '🌹🌹🌹🌹🌹x' }, ['text: length']],
    ['an optional text', { maybe: 'sixsix' }, ['maybe: length']],
    ['bytes', { data: Buffer.alloc(5) }, ['data: length']],
    ['too many texts', { texts: Array<string>(31).fill('sixsix') }, ['texts: maxItems']],
    ['one of the texts', { texts: ['x', 'sixsix'] }, ['texts.1: length']],
    ['too many numbers', { numbers: [1, 2, 3, 4] }, ['numbers: maxItems']],
    ['too many messages', { items: [item('x'), item('x'), item('sixsix')] }, ['items: maxItems']],
    ['a nested text', { items: [item('x', [item('x'), item('sixsix')])] }, ['items.0.children.1.name: length']],
    ['too many entries', { labels: { a: '', b: '', c: '' } }, ['labels: maxItems']],
    ['a key', { labels: { sixsix: 'x' } }, ['labels: length']],
    ['a value', { labels: { x: 'sixsix' } }, ['labels: length']],
    ['a message by number', { numbered: { 7: item('sixsix') } }, ['numbered.7.name: length']],
    ['too many paths', { mask: ['a', 'b', 'c'] }, ['mask: maxItems']],
    ['a path', { mask: ['a', 'sixsix'] }, ['mask.1: length']],
    ['a member', { item: item('sixsix') }, ['item.name: length']],
    ['a member of an inlined message', { flat: item('sixsix') }, ['name: length']],
    ['a part', { part: { $case: 'partText', value: 'sixsix' } }, ['partText: length']],
    ['a member of a part', { part: { $case: 'partItem', value: item('sixsix') } }, ['partItem.name: length']],
    ['the name of a record', { recordId: 'sixsix' }, 'NOT_FOUND'],
    ['a name of a record in parts', { recordItem: item('sixsix') }, 'NOT_FOUND'],
    ['the name of a record, and others', { recordId: 'sixsix', text: 'sixsix' }, 'NOT_FOUND'],
    ['several', { text: 'sixsix', numbers: [1, 2, 3, 4] }, ['text: length', 'numbers: maxItems']],
  ])('finds %s beyond the bound', (_what, fields, expected) => {
    expect(outcomeOf(fields)).toEqual(expected);
  });

  it('reports the limit', () => {
    const check = () => validate({ ...EMPTY, text: 'sixsix', data: Buffer.alloc(5), numbers: [1, 2, 3, 4] });
    expect(check).toThrow(
      expect.objectContaining({
        publicMessage: undefined,
        violations: [
          { message: 'must have at most 5 characters', format: 'length', props: ['text'], params: { maximum: 5 } },
          { message: 'must have at most 4 bytes', format: 'length', props: ['data'], params: { maximum: 4 } },
          { message: 'must have at most 3 items', format: 'maxItems', props: ['numbers'], params: { limit: 3 } },
        ],
      }),
    );
  });

  it('reports 20 violations and the number of the others', () => {
    const labels = outcomeOf({ texts: Array<string>(30).fill('sixsix') });
    expect(labels).toHaveLength(21);
    expect(labels.at(19)).toBe('texts.19: length');
    expect(() => validate({ ...EMPTY, texts: Array<string>(30).fill('sixsix') })).toThrow(
      expect.objectContaining({
        violations: expect.arrayContaining([{ message: 'and 10 more', format: 'more', params: { more: 10 } }]),
      }),
    );
  });

  // One unit is one code point.
  const short = anyText({ maxLength: 5 });
  const leaf = fc.record({ name: short, children: fc.constant<CheckItem[]>([]) });
  const items: fc.Arbitrary<CheckItem> = fc.record({ name: short, children: fc.array(leaf, { maxLength: 2 }) });
  const within: fc.Arbitrary<CheckRequest> = fc.record({
    text: short,
    maybe: fc.option(short, { nil: undefined }),
    data: fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    texts: fc.array(short, { maxLength: 30 }),
    numbers: fc.array(fc.integer(), { maxLength: 3 }),
    items: fc.array(items, { maxLength: 2 }),
    labels: fc.dictionary(short, short, { maxKeys: 2 }),
    numbered: fc.constant({}),
    mask: fc.option(fc.array(short, { maxLength: 2 }), { nil: undefined }),
    item: fc.option(items, { nil: undefined }),
    flat: fc.option(items, { nil: undefined }),
    recordId: short,
    recordItem: fc.option(items, { nil: undefined }),
    number: fc.integer(),
  });

  it('accepts everything within the limits', () => {
    fc.assert(
      fc.property(within, (request) => {
        expect(() => validate(request)).not.toThrow();
      }),
    );
  });

  it('finds one too long text at any depth', () => {
    const long = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => [...text].length > 5);
    /** Puts a text at the end of a chain of children. */
    const nested = (depth: number, name: string): CheckItem =>
      depth === 0 ? item(name) : item('x', [nested(depth - 1, name)]);
    fc.assert(
      fc.property(within, long, fc.nat(20), (request, name, depth) => {
        const props = ['items', '0', ...Array.from({ length: depth }, () => ['children', '0']).flat(), 'name'];
        expect(() => validate({ ...request, items: [nested(depth, name)] })).toThrow(
          expect.objectContaining({ violations: [expect.objectContaining({ props, format: 'length' })] }),
        );
      }),
    );
  });
});
