// The texts of the console for the codes of the service: all of them, in both languages, with parameters that the service sends.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FINDINGS } from '../../../src/auth/access/findings.ts';
import { refusal, REFUSALS, type RefusalCode, type RefusalParams } from '../../../src/auth/access/refusals.ts';

type Texts = Readonly<Record<string, string>>;
type Language = 'en' | 'de';
let i18n: typeof import('../../src/i18n.ts');
let findingTexts: () => Texts;
let refusalTexts: () => Texts;
let ownRefusalTexts: () => Texts;
let textOfRefusal: typeof import('../../src/console/refusals.ts').textOfRefusal;
let errors: typeof import('../../src/errors.ts');
let client: typeof import('../../../client/src/index.ts');

beforeAll(async () => {
  vi.stubGlobal('navigator', { languages: ['en'] });
  vi.stubGlobal('document', { documentElement: {} });
  i18n = await import('../../src/i18n.ts');
  ({ findingTexts } = await import('../../src/console/explain/finding-texts.ts'));
  ({ refusalTexts } = await import('../../src/console/refusal-texts.ts'));
  ({ ownRefusalTexts } = await import('../../src/texts/refusals.ts'));
  ({ textOfRefusal } = await import('../../src/console/refusals.ts'));
  errors = await import('../../src/errors.ts');
  client = await import('../../../client/src/index.ts');
});
afterAll(() => vi.unstubAllGlobals());

const inLanguage = (language: Language, texts: () => Texts): Texts => {
  i18n.language.value = language;
  return texts();
};
const parametersOf = (text: string): string[] =>
  [...new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name!))].toSorted();
const parametersOfAll = (texts: Texts) =>
  Object.fromEntries(Object.entries(texts).map(([code, text]) => [code, parametersOf(text)]));

/** Parameters beyond those of the service's own sentence. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  roleHeld: ['role'],
  roleInherited: ['role'],
  roleExceedsAccount: ['roles'],
  roleExceedsTenant: ['tenant'],
};

describe('findings', () => {
  it('have a text for each code, and no other text', () => {
    for (const language of ['en', 'de'] as const)
      expect(Object.keys(inLanguage(language, findingTexts)).toSorted()).toEqual(Object.keys(FINDINGS).toSorted());
  });

  it('have the same parameters in both languages, of those that the service sends', () => {
    const [en, de] = [parametersOfAll(inLanguage('en', findingTexts)), parametersOfAll(inLanguage('de', findingTexts))];
    expect(de).toEqual(en);
    const sent = parametersOfAll(FINDINGS);
    const unknown = Object.entries(en).filter(([code, names]) => names.some((name) => !sent[code]!.includes(name)));
    expect(unknown).toEqual([]);
  });
});

describe('refusals', () => {
  it('have a text for each code', () => {
    for (const language of ['en', 'de'] as const) {
      const texts = { ...inLanguage(language, refusalTexts), ...inLanguage(language, ownRefusalTexts) };
      expect(Object.keys(REFUSALS).filter((code) => !(code in texts))).toEqual([]);
      const shorts = Object.entries(REFUSALS).flatMap(([code, entry]) =>
        'otherwise' in entry ? [`${code}Short`] : [],
      );
      const known = [...Object.keys(REFUSALS), ...shorts, ...Object.keys(FINDINGS)];
      expect(Object.keys(texts).filter((code) => !known.includes(code))).toEqual([]);
      expect(shorts.filter((code) => !(code in texts))).toEqual([]);
    }
  });

  it('have the same parameters in both languages, of those that the service sends', () => {
    for (const texts of [refusalTexts, ownRefusalTexts]) {
      const [en, de] = [parametersOfAll(inLanguage('en', texts)), parametersOfAll(inLanguage('de', texts))];
      expect(de).toEqual(en);
      const sent = (code: string) => [
        ...parametersOf((REFUSALS as Readonly<Record<string, { readonly text: string }>>)[code]?.text ?? ''),
        ...(MORE[code] ?? []),
      ];
      expect(Object.entries(en).filter(([code, names]) => names.some((name) => !sent(code).includes(name)))).toEqual(
        [],
      );
    }
  });

  it('name what is in the way, with local times', () => {
    const refused = refusal as (code: RefusalCode, params?: RefusalParams) => ReturnType<typeof refusal>;
    const textOf = (language: Language, code: RefusalCode, params?: RefusalParams) => {
      i18n.language.value = language;
      return textOfRefusal(refused(code, params).violations[0]!);
    };
    expect(textOf('de', 'twoSecrets', { until: '2999-01-01T12:00:00.000Z' })).toMatch(
      /^Es gibt schon zwei Secrets\. Eines endet am \d+\.\d+\.2999, \d\d:00:00 \S+\. /,
    );
    expect(textOf('de', 'twoSecrets')).toBe('Es gibt schon zwei Secrets. Beenden Sie vorher eines.');
    expect(textOf('en', 'roleHoldsMore', { permissions: ['A', 'B'] })).toContain('that you lack: A, B.');
    expect(textOf('en', 'userCannotLogIn', { finding: 'ACCOUNT_DISABLED' })).toBe(
      'The user cannot log in: the account is disabled.',
    );
    expect(textOf('en', 'tooManyPasskeys', { maximum: 20 })).toContain('20');
  });

  it('are shown at their field or as a text, and those of a later release in the words of the service', () => {
    i18n.language.value = 'de';
    const failure = (code: string, violations: readonly object[]) =>
      new client.ApiError('The message', { status: 409, code, violations: violations as never });
    errors.setRefusalTexts(textOfRefusal);
    const taken = failure('conflict', refusal('usernameTaken').violations);
    expect([...errors.violationsOf(taken)]).toEqual([['username', inLanguage('de', refusalTexts)['usernameTaken']]]);
    expect(errors.textOf(taken)).toBe(inLanguage('de', refusalTexts)['usernameTaken']);
    const denied = failure('permission-denied', refusal('roleNotGrantable', { role: 'SUPER_ADMIN' }).violations);
    expect(errors.textOf(denied)).toContain('SUPER_ADMIN');
    const later = failure('conflict', [{ message: 'It rains', format: 'rain' }]);
    expect(errors.textOf(later)).toBe('Der Dienst lehnt das ab: It rains.');
    expect(errors.textOf(failure('conflict', []))).toBe('Der Dienst lehnt das ab: The message.');
  });
});

describe('invitations', () => {
  it('that are refused say in the language of the page what to change', async () => {
    const { textOfInvitationError } = await import('../../src/console/users/invitation-errors.ts');
    i18n.language.value = 'de';
    errors.setRefusalTexts(textOfRefusal);
    const textOf = (errorCode: string, violations: readonly object[] = []) =>
      textOfInvitationError({ errorCode, detail: 'Detail in English', violations: violations as never });
    expect(textOf('conflict', refusal('usernameTaken').violations)).toContain('ist vergeben');
    expect(textOf('permission-denied', refusal('roleNotGrantable', { role: 'OWNER' }).violations)).toContain('OWNER');
    for (const field of ['username', 'email', 'name', 'roles'])
      expect(textOf('validation-error', [{ message: 'must be something', props: [field] }])).not.toContain('must');
    for (const format of ['notInvited', 'outcomeUnknown'])
      expect(textOf('service-unavailable', [{ message: 'Try again', format }])).toMatch(/noch einmal/);
    for (const code of ['internal-error', 'service-unavailable', 'too-many-requests', 'tenant-mismatch'])
      expect(textOf(code)).not.toContain('English');
  });
});
