import fc from 'fast-check';

/**
 * A string of any code points but surrogates: fast-check's unit `binary` without its index of all code points, which takes
 * seconds to build and 100 MB for as long as the process lives.
 */
export const anyText = (limits: Readonly<{ minLength?: number; maxLength?: number }> = {}): fc.Arbitrary<string> =>
  fc.string({ ...limits, unit: CODE_POINT });

const SURROGATES = { first: 0xd800, count: 0x800 };
const CODE_POINT = fc
  .nat({ max: 0x10_ffff - SURROGATES.count })
  .map((number) => String.fromCodePoint(number < SURROGATES.first ? number : number + SURROGATES.count));
