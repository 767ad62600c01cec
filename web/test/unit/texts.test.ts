// Errors and times as texts. The modules read the browser's language when they are loaded.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../client/src/index.ts';

type Modules = [
  typeof import('../../src/errors.ts'),
  typeof import('../../src/format.ts'),
  typeof import('../../src/i18n.ts'),
];
let [errors, format, i18n] = [] as unknown as Modules;

beforeAll(async () => {
  vi.stubGlobal('navigator', { languages: ['fr-FR', 'de-AT', 'en'] });
  vi.stubGlobal('document', { documentElement: {} });
  [errors, format, i18n] = await Promise.all([
    import('../../src/errors.ts'),
    import('../../src/format.ts'),
    import('../../src/i18n.ts'),
  ]);
});
afterEach(() => void vi.useRealTimers());
afterAll(() => vi.unstubAllGlobals());

const failure = (code: string, details: Partial<ConstructorParameters<typeof ApiError>[1]> = {}) =>
  new ApiError('The message', { status: 401, code, ...details });

describe('the language', () => {
  it('is the first one of the browser that the pages have', () => {
    expect(i18n.language.value).toBe('de');
    i18n.setLanguage('en');
    expect(document.documentElement.lang).toBe('en');
  });
});

describe('an error', () => {
  it.each([
    ['AUTH_INVALID_CREDENTIALS', 'bad-credentials'],
    ['AUTH_USER_NOT_FOUND', 'account-not-found'],
    ['AUTH_SECOND_FACTOR_INVALID', 'second-factor-invalid'],
    ['TOO_MANY_REQUESTS', 'too-many-requests'],
    ['second-factor-locked', 'second-factor-locked'],
  ])('%s has the code %s of Profile A', (code, expected) => {
    expect(errors.codeOf(failure(code))).toBe(expected);
  });

  it('of the page itself is its text', () => {
    expect(errors.textOf(new errors.PageError('Text'))).toBe('Text');
    expect(errors.textOf(new TypeError('x is undefined'))).toBe(errors.textOf(undefined));
  });

  it('without a text shows the message of the service, and hides that of a server error', () => {
    expect(errors.textOf(failure('unheard-of'))).toBe('The message');
    expect(errors.textOf(failure('unheard-of', { status: 500 }))).not.toContain('The message');
  });

  it('has the end of a lock from Retry-After, or from the message', () => {
    vi.useFakeTimers({ now: Date.parse('2026-01-01T12:00:00Z') });
    const message = 'the account is locked until 2026-01-01T12:10:00.000Z';
    const locked = new ApiError(message, { status: 423, code: 'account-locked' });
    expect(errors.textOf(locked)).toContain('in 10 minutes (');
    expect(errors.textOf(failure('account-locked', { retryAfterMs: 900_000 }))).toContain('in 15 minutes (');
    expect(errors.textOf(failure('account-locked'))).toContain('in a few minutes.');
  });

  it('has its violations as sentences, by the paths of their fields', () => {
    const violations = [
      { message: 'must be a URL', props: ['policy', 'allowedOrigins'] },
      {
        message: 'must have 12 to 128 characters',
        format: 'length',
        params: { minimum: 12, maximum: 128 },
        props: ['a'],
      },
      { message: 'must have at most 9 characters', format: 'length', params: { maximum: 9 }, props: ['b'] },
      { message: 'must not be the username', format: 'password-policy', props: ['c'] },
    ];
    const error = failure('validation-error', { violations });
    expect([...errors.violationsOf(error)]).toEqual([
      ['policy.allowedOrigins', 'This value must be a URL.'],
      ['a', 'Use 12 to 128 characters.'],
      ['b', 'Use at most 9 characters.'],
      ['c', 'Do not use your username.'],
    ]);
  });
});

describe('a time', () => {
  it.each([
    [-120_000, '2 minutes ago'],
    [3 * 3_600_000, 'in 3 hours'],
    [36 * 3_600_000, 'in 2 days'],
    [0, 'now'],
    [30_499, 'in 30 seconds'],
    // A limit of a minute is formatted some milliseconds later.
    [59_499, 'in 59 seconds'],
    [59_998, 'in 1 minute'],
    [60_400, 'in 1 minute'],
    [3_599_000, 'in 1 hour'],
    [-86_399_000, '1 day ago'],
  ])('%d ms from now is %s', (ms, text) => {
    expect(format.formatRelative(1_000_000_000 + ms, 1_000_000_000)).toBe(text);
  });
});
