// Random values of all types of columns, as fast-check generates them.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';

const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 5 });
const integer = (bits: number) =>
  nullable(fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n }));
const natural = (bits: number) => nullable(fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }));
const digits = (max: number) => fc.nat(max).map((number) => String(number).padStart(String(max).length, '0'));
const date = fc.tuple(fc.integer({ min: 1971, max: 2037 }), digits(11), digits(27));
const day = date.map(
  ([year, month, dayOfMonth]) => `${year}-${month === '00' ? '12' : month}-${dayOfMonth === '00' ? '28' : dayOfMonth}`,
);
const time = fc.tuple(digits(23), digits(59), digits(59)).map((parts) => parts.join(':'));
const fraction = fc.oneof(fc.constant('000000'), digits(999_999));
const moment = fc.tuple(day, fc.oneof(fc.constant('00:00:00'), time), fraction).map(([d, t, f]) => `${d} ${t}.${f}`);
export const text = (maxLength: number) =>
  fc.oneof(fc.string({ maxLength, unit: 'grapheme' }), fc.string({ maxLength }));
export const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
/** Lengths of one, three and four bytes. */
export const long = fc.constantFrom(0, 1, 250, 251, 252, 255, 256, 65_535, 65_536, 70_000);

/** Types of columns, with values that MySQL and MariaDB accept. */
export const COLUMN_TYPES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  TINYINT: integer(8),
  'TINYINT UNSIGNED': natural(8),
  SMALLINT: integer(16),
  'SMALLINT UNSIGNED': natural(16),
  MEDIUMINT: integer(24),
  'MEDIUMINT UNSIGNED': natural(24),
  INT: integer(32),
  'INT UNSIGNED': natural(32),
  // Also beyond 2^53, where both drivers round.
  BIGINT: integer(64),
  'BIGINT UNSIGNED': natural(64),
  FLOAT: nullable(fc.integer({ min: -1_000_000, max: 1_000_000 }).map((number) => number / 64)),
  DOUBLE: nullable(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 })),
  'DECIMAL(30,10)': nullable(
    fc.tuple(integer(64), digits(9_999_999_999)).map(([whole, part]) => `${whole ?? 0n}.${part}`),
  ),
  'DECIMAL(12,2)': nullable(fc.integer().map((cents) => (cents / 100).toFixed(2))),
  YEAR: nullable(fc.integer({ min: 1901, max: 2155 })),
  DATE: nullable(day),
  DATETIME: nullable(moment.map((value) => value.slice(0, 19))),
  'DATETIME(3)': nullable(moment.map((value) => value.slice(0, 23))),
  'DATETIME(6)': nullable(moment),
  'TIMESTAMP(3) NULL': nullable(moment.map((value) => value.slice(0, 23))),
  TIME: nullable(fc.tuple(fc.constantFrom('', '-'), time).map((parts) => parts.join(''))),
  'TIME(6)': nullable(fc.tuple(fc.constantFrom('', '-'), time, fraction).map(([sign, t, f]) => `${sign}${t}.${f}`)),
  'CHAR(20)': nullable(text(10)),
  'VARCHAR(200)': nullable(text(60)),
  LONGTEXT: nullable(
    fc.oneof(
      text(300),
      long.map((length) => 'x'.repeat(length)),
    ),
  ),
  'VARCHAR(20) CHARACTER SET latin1': nullable(fc.constantFrom('', 'plain', 'Ünïcödé')),
  'BINARY(16)': nullable(bytes(16)),
  'VARBINARY(100)': nullable(bytes(100)),
  LONGBLOB: nullable(
    fc.oneof(
      bytes(300),
      long.map((length) => randomBytes(length)),
    ),
  ),
  JSON: nullable(fc.json({ maxDepth: 2, noUnicodeString: true })),
  "ENUM('a','b')": nullable(fc.constantFrom('a', 'b')),
  "SET('a','b')": nullable(fc.constantFrom('', 'a', 'a,b')),
  'BIT(10)': nullable(fc.constantFrom(Buffer.from([0, 0]), Buffer.from([3, 255]))),
};
