// The parts of an error that are sent, and their arrival.
import fc from 'fast-check';
import { errors } from 'jose';
import { describe, expect, it } from 'vitest';
import { DependencyUnavailableError, ServiceError } from '../../../src/platform/errors.ts';
import type { ReasonName } from '../../../src/platform/errors.ts';
import { hideRefusal, toErrorStatus, toServiceError } from '../../../src/platform/rpc/errors/error-status.ts';
import type { DisclosureOptions } from '../../../src/platform/rpc/errors/error-status.ts';
import { fromGrpcStatus, toGrpcStatus } from '../../../src/platform/rpc/errors/grpc-status.ts';
import { REASONS } from '../../../src/platform/problem/catalogue.ts';
import type { ErrorStatus } from '../../../src/platform/rpc/errors/rpc-error.ts';
import { safeFrames } from '../../../src/platform/rpc/errors/stack-trace.ts';
import { decodeStatus, encodeStatus } from '../../../src/platform/rpc/errors/status-details.ts';
import { anyText } from '../../support/texts.ts';

const reasons = Object.keys(REASONS) as ReasonName[];
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const json = fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const violation = fc.record(
  {
    message: text,
    format: text,
    props: fc.array(text, { maxLength: 3 }),
    params: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), json, { maxKeys: 2 }),
  },
  { requiredKeys: ['message'] },
);
const diagnostics = fc.record({
  exceptionType: fc.stringMatching(/^[\w$.]{1,20}$/),
  exceptionMessage: text,
  stackTrace: text,
});

const errorStatus = (scale: number): fc.Arbitrary<ErrorStatus> =>
  fc.record({
    reason: fc.constantFrom(...reasons),
    message: text,
    violations: fc.array(violation, { maxLength: 3 * scale }),
    retryAfterMs: fc.option(fc.nat(100_000_000), { nil: undefined }),
    diagnostics: fc.option(diagnostics, { nil: undefined }),
    requestId: fc.option(fc.stringMatching(/^[\w.:-]{1,64}$/), { nil: undefined }),
  });

describe('an error on the wire', () => {
  it('arrives as it was sent', () => {
    fc.assert(
      fc.property(errorStatus(1), (status) => {
        expect(decodeStatus(encodeStatus(status))).toEqual(status);
        expect(fromGrpcStatus(toGrpcStatus(status), undefined).status).toEqual(status);
      }),
    );
  });

  it('is limited to 6 kB, and always keeps its reason, its delay and its id', () => {
    const long = (limit: number) => anyText({ minLength: limit / 2, maxLength: limit });
    const huge = fc
      .tuple(errorStatus(30), long(20_000), long(20_000), fc.boolean())
      .map(([status, message, stackTrace, both]) => ({
        ...status,
        message: both ? message : status.message,
        diagnostics: { exceptionType: 'Error', exceptionMessage: message, stackTrace },
      }));
    fc.assert(
      fc.property(huge, (status) => {
        const bytes = encodeStatus(status);
        expect(bytes.length).toBeLessThanOrEqual(6 * 1024);
        const { reason, retryAfterMs, requestId } = status;
        expect(decodeStatus(bytes)).toMatchObject({ reason, retryAfterMs, requestId });
      }),
      { numRuns: 30 },
    );
  });

  it('loses its diagnostics before its violations, and those before its message', () => {
    const violations = Array.from({ length: 20 }, (_, index) => ({ message: `number ${index}` }));
    const base = {
      reason: 'VALIDATION_ERROR',
      message: 'm',
      violations,
      retryAfterMs: undefined,
      requestId: 'r',
    } as const;
    const diagnostics = { exceptionType: 'Error', exceptionMessage: 'x', stackTrace: '\u{1f512}'.repeat(9000) };
    const shortened = decodeStatus(encodeStatus({ ...base, diagnostics }));
    expect(shortened?.violations).toEqual(violations);
    expect(shortened?.diagnostics?.stackTrace).toMatch(/^\u{1f512}+$/u);
    const many = Array.from({ length: 900 }, (_, index) => ({ message: `number ${index}` }));
    const fewer = decodeStatus(encodeStatus({ ...base, violations: many, diagnostics }));
    expect(fewer).toMatchObject({ diagnostics: undefined, message: 'm' });
    expect(fewer?.violations.length).toBeGreaterThan(50);
  });

  it('is only trusted from a core', () => {
    expect(decodeStatus(Buffer.from('garbage'))).toBeUndefined();
    expect(decodeStatus(Buffer.alloc(0))).toBeUndefined();
  });

  it('has a valid gRPC message with any text', () => {
    const status = {
      reason: 'NOT_FOUND',
      violations: [],
      retryAfterMs: undefined,
      diagnostics: undefined,
      requestId: 'r',
    } as const;
    fc.assert(
      fc.property(anyText(), (message) => {
        const { details } = toGrpcStatus({ ...status, message: `${message}\ud800` });
        expect(encodeURI(details)).toMatch(/^[\x21-\x7e]*$/);
      }),
    );
  });
});

describe('the content of an error', () => {
  const maximal = { disclosure: 'maximal', maxStackTraceChars: 1000 } as const;
  const minimal = { disclosure: 'minimal', maxStackTraceChars: 1000 } as const;
  const tell = (error: unknown, options: DisclosureOptions) =>
    toErrorStatus(toServiceError(error, 'SERVICE_UNAVAILABLE'), 'r', options);

  it('is the detail under maximal disclosure and the public message under minimal', () => {
    const error = new ServiceError('NOT_FOUND', { detail: 'no row', publicMessage: 'Gone' });
    expect(tell(error, maximal).message).toBe('no row');
    expect(tell(error, minimal)).toEqual({
      reason: 'NOT_FOUND',
      message: 'Gone',
      violations: [],
      retryAfterMs: undefined,
      diagnostics: undefined,
      requestId: 'r',
    });
    expect(tell(new ServiceError('NOT_FOUND', { detail: 'no row' }), minimal).message).toBe(
      'The resource does not exist',
    );
    expect(tell(new ServiceError('NOT_FOUND'), maximal).message).toBe('The resource does not exist');
  });

  it.each([
    ['TOKEN_MISSING', 'Unauthorized - Missing or invalid token'],
    ['TOKEN_INVALID', 'Unauthorized - Invalid or expired token'],
    ['SUBJECT_UNKNOWN', 'Unauthorized - User not found'],
  ] as const)("is the contract's text for %s in both modes", (reason, message) => {
    const error = new ServiceError(reason, { detail: 'why' });
    expect(tell(error, maximal)).toMatchObject({ message, diagnostics: { exceptionMessage: 'why' } });
    expect(tell(error, minimal)).toMatchObject({ message, diagnostics: undefined });
  });

  it('is the same for all refusals of a user under minimal disclosure, but for one that is always named', () => {
    const locked = new ServiceError('ACCOUNT_LOCKED', { detail: 'locked until noon' });
    const disabled = new ServiceError('ACCOUNT_DISABLED', { retryAfterMs: 5, violations: [{ message: 'v' }] });
    const named = new ServiceError('ACCOUNT_LOCKED', { detail: 'locked until noon', alwaysNamed: true });
    const shown = (error: ServiceError, options: DisclosureOptions) => tell(hideRefusal(error, options), options);
    expect(shown(locked, minimal)).toEqual(shown(new ServiceError('BAD_CREDENTIALS'), minimal));
    expect(shown(disabled, minimal)).toEqual(shown(locked, minimal));
    expect(shown(named, minimal)).toMatchObject({
      reason: 'ACCOUNT_LOCKED',
      message: 'The account is locked for a while',
    });
    expect(hideRefusal(locked, maximal)).toBe(locked);
    expect(hideRefusal(disabled, minimal).cause).toBe(disabled);
    const unavailable = new ServiceError('SERVICE_UNAVAILABLE');
    expect(hideRefusal(unavailable, minimal)).toBe(unavailable);
  });

  it('contains violations in both modes', () => {
    const error = new ServiceError('VALIDATION_ERROR', {
      publicMessage: 'Missing',
      detail: 'x',
      violations: [{ message: 'v' }],
    });
    for (const mode of [maximal, minimal]) {
      expect(tell(error, mode)).toMatchObject({ message: 'Missing', violations: [{ message: 'v' }] });
    }
  });

  it('contains the causes, but only messages of this project', () => {
    const driver = Object.assign(new Error("Duplicate entry 'alice' in SELECT secret"), { code: 'ER_DUP_ENTRY' });
    const safe = Object.assign(new Error('the statement timed out', { cause: driver }), { safeMessage: true });
    const status = tell(new ServiceError('CONFLICT', { detail: 'outer', cause: safe }), maximal);
    expect(status.diagnostics).toMatchObject({
      exceptionType: 'Error',
      exceptionMessage: 'outer; caused by the statement timed out; caused by Error (ER_DUP_ENTRY)',
    });
    expect(JSON.stringify(status)).not.toMatch(/alice|SELECT/);
    expect(status.diagnostics?.stackTrace).toMatch(
      /^ServiceError: outer\n( {4}at .*\n)+Caused by: Error: the statement/,
    );
    const circular = new Error('a');
    circular.cause = circular;
    expect(tell(circular, maximal).diagnostics?.exceptionType).toBe('Error');
  });

  it('contains no stack for NOT_FOUND, which could reveal whether a record exists', () => {
    const { diagnostics } = tell(new ServiceError('NOT_FOUND'), maximal);
    expect(diagnostics?.stackTrace).toBe('ServiceError: NOT_FOUND');
  });

  it('counts a missing dependency as unavailable', () => {
    expect(tell(new DependencyUnavailableError('no database'), maximal)).toMatchObject({
      reason: 'SERVICE_UNAVAILABLE',
      message: 'no database',
      retryAfterMs: 1000,
    });
  });

  const NOT_ERRORS: readonly unknown[] = [
    null,
    undefined,
    'secret',
    7,
    true,
    10n,
    Symbol('secret'),
    () => 'secret',
    ['secret'],
    { code: 'X', message: 'secret' },
    Object.assign(Object.create(null), { name: 'object', message: 'secret' }),
  ];
  const JOSE_ERRORS = [
    ...Object.values(errors).map((JoseError) => new JoseError('secret', { sub: 'secret' })),
    new errors.JWTExpired('secret', { sub: 'secret' }, 'exp', 'check_failed'),
  ];
  const TYPE_NAMES = /\b(?:object|undefined|string|number|boolean|bigint|symbol|function)\b|\[object /;

  it.each(NOT_ERRORS)('handles the thrown value %s', (thrown) => {
    const { reason, message, diagnostics } = tell(thrown, maximal);
    expect(reason).toBe('INTERNAL_ERROR');
    expect(message).toBe('The thrown value is not an Error');
    expect(diagnostics).toMatchObject({ exceptionType: 'ServiceError', exceptionMessage: message });
  });

  it.each(NOT_ERRORS)('omits %s as the cause of an error', (cause) => {
    const outer = new ServiceError('TOKEN_INVALID', { detail: 'why', cause: new RangeError('secret', { cause }) });
    const { diagnostics } = tell(outer, maximal);
    expect(diagnostics).toMatchObject({ exceptionType: 'RangeError', exceptionMessage: 'why; caused by RangeError' });
    const direct = tell(new ServiceError('TOKEN_INVALID', { detail: 'why', cause }), maximal);
    expect(direct.diagnostics).toMatchObject({ exceptionType: 'ServiceError', exceptionMessage: 'why' });
    expect(JSON.stringify([diagnostics, direct.diagnostics])).not.toContain('secret');
  });

  it.each(JOSE_ERRORS.map((error) => [error.name, error] as const))(
    'contains the class and code of %s',
    (name, cause) => {
      const { diagnostics } = tell(new ServiceError('TOKEN_INVALID', { detail: 'why', cause }), maximal);
      expect(diagnostics).toMatchObject({
        exceptionType: name,
        exceptionMessage: `why; caused by ${name} (${cause.code})`,
      });
      expect(diagnostics?.stackTrace).not.toMatch(/secret/);
    },
  );

  it.each(reasons)('contains a class for %s, with any cause', (reason) => {
    const causes = [undefined, ...NOT_ERRORS, ...JOSE_ERRORS, Object.assign(new Error('secret'), { name: 'object' })];
    for (const cause of causes) {
      const { diagnostics } = tell(new ServiceError(reason, { detail: 'why', cause }), maximal);
      expect(diagnostics?.exceptionType).toMatch(/^[A-Z]\w*$/);
      expect(JSON.stringify(diagnostics)).not.toMatch(TYPE_NAMES);
    }
  });

  it('contains stack frames of the project only, with relative paths', () => {
    const error = new Error('multi\n    at evil (/etc/passwd:1:1)\nline');
    const here = import.meta.filename;
    error.stack = [
      `Error: ${error.message}`,
      `    at run (${here}:1:2)`,
      `    at async Object.<anonymous> (file://${here}:3:4)`,
      '    at process.processTicks (node:internal/process:5:6)',
      '    at other (/somewhere/else.js:7:8)',
      `    at ${here}:9:10`,
      '    at secret text',
    ].join('\n');
    expect(safeFrames(error)).toEqual([
      '    at run (test/rpc/pipeline/errors.test.ts:1:2)',
      '    at async Object.<anonymous> (test/rpc/pipeline/errors.test.ts:3:4)',
      '    at test/rpc/pipeline/errors.test.ts:9:10',
    ]);
  });

  it('limits the stack trace without breaking a character', () => {
    const error = new ServiceError('NOT_FOUND', { detail: '\u{1f512}'.repeat(100) });
    const { diagnostics } = tell(error, { ...maximal, maxStackTraceChars: 30 });
    expect([...diagnostics!.stackTrace]).toHaveLength(30);
    expect(diagnostics!.stackTrace.isWellFormed()).toBe(true);
  });
});
