// The pure parts of second factors.
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findChallengeFault, newChallenge, parseChallenge } from '../../src/auth/factors/challenge.ts';
import { codeLockEnd, countWrongCode, NO_FAILURES } from '../../src/auth/factors/code-lock.ts';
import { decideFactors } from '../../src/auth/factors/decide-factors.ts';
import { provenMethods, type Proof } from '../../src/auth/factors/proofs.ts';
import { normalizeCode } from '../../src/platform/formats/code.ts';
import { newRecoveryCodes, recoveryCodeHash } from '../../src/auth/factors/recovery-code.ts';
import { matchTotp, newTotpSecret, totpCode, totpStepAt, totpUri } from '../../src/auth/factors/totp.ts';
import { createTotpSecrets } from '../../src/auth/factors/totp-secrets.ts';
import type { FactorMethod } from '../../src/auth/access/account.ts';
import { builtInRights } from '../../src/auth/access/roles/rights.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { toBase32 } from '../../src/platform/formats/base32.ts';

const MINUTE_MS = 60_000;
const STEP_MS = 30_000;

describe('base32', () => {
  // RFC 4648 section 10, without padding.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('encodes %j', (text, encoded) => {
    expect(toBase32(Buffer.from(text))).toBe(encoded);
  });
});

describe('TOTP', () => {
  const SECRET = Buffer.from('12345678901234567890');

  // RFC 6238 appendix B has 8 digits; 6 digits are their last ones. RFC 4226 appendix D counts steps.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('has the code of RFC 6238 at %d s', (seconds, code) => {
    expect(totpCode(SECRET, totpStepAt(seconds * 1000))).toBe(code.slice(2));
  });

  it('has the codes of RFC 4226', () => {
    const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];
    expect(codes.map((_code, step) => totpCode(SECRET, step))).toEqual(codes);
  });

  it('accepts the codes of one step each way, each in every part of the step', () => {
    for (const offset of [0, 1, STEP_MS - 1]) {
      const now = 50_000_000 * STEP_MS + offset;
      const accepted = [-3, -2, -1, 0, 1, 2, 3].filter(
        (difference) => matchTotp(SECRET, totpCode(SECRET, 50_000_000 + difference), { now }) !== undefined,
      );
      expect(accepted).toEqual([-1, 0, 1]);
    }
  });

  it('refuses a step that was used, and all earlier ones', () => {
    const now = 100 * STEP_MS;
    const matched = (step: number) => matchTotp(SECRET, totpCode(SECRET, step), { now, lastStep: 100 });
    expect([99, 100, 101].map(matched)).toEqual([undefined, undefined, 101]);
  });

  it.each(['', '75522', '7552244', 'abcdef', ' 755224', '755224\0', '７５５２２４', '-55224'])('refuses %j', (code) => {
    expect(matchTotp(SECRET, code, { now: STEP_MS })).toBeUndefined();
  });

  it('has secrets of 160 bits, each another one', () => {
    const secrets = Array.from({ length: 100 }, newTotpSecret);
    expect(new Set(secrets.map(toBase32)).size).toBe(100);
    for (const secret of secrets) expect(toBase32(secret)).toMatch(/^[A-Z2-7]{32}$/);
  });

  it('has a URI that a parser reads back, for every issuer and username', () => {
    const named = { issuer: 'Müller & Söhne: Shop', username: 'ann+1@acme.test' };
    const uri = new URL(totpUri(SECRET, named));
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(uri.pathname)).toBe(`/${named.issuer}:${named.username}`);
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: named.issuer,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(uri.href).not.toMatch(/\+|%2B.*issuer=.*\+/);
  });

  it('has encrypted secrets that only their account can use', () => {
    const secrets = createTotpSecrets(createKeyEncryption(Buffer.alloc(32, 1)));
    const encrypted = secrets.encrypt('ann', SECRET);
    expect(encrypted.includes(SECRET)).toBe(false);
    expect(secrets.decrypt('ann', encrypted)).toEqual(SECRET);
    expect(() => secrets.decrypt('bob', encrypted)).toThrow('totp-secret:bob');
  });
});

const fullWidth = (text: string) =>
  text.replaceAll(/[!-~]/g, (character) => String.fromCodePoint(character.codePointAt(0)! + 0xfee0));

describe('codes', () => {
  it.each([
    ['123456', 'ASCII'],
    ['123 456', 'a blank'],
    [' 1 2\t3\u00a04\u202f5\u30006\n', 'blanks of all kinds'],
    ['123-456', 'a hyphen'],
    ['\u200f123\u2011456\u200e', 'marks of the direction, and a hyphen that does not break'],
    ['１２３４５６', 'full-width'],
    ['١٢٣٤٥٦', 'Arabic-Indic'],
    ['۱۲۳۴۵۶', 'Persian'],
    ['१२३४५६', 'Devanagari'],
    ['১২৩৪৫৬', 'Bengali'],
    ['๑๒๓๔๕๖', 'Thai'],
    ['𞥑𞥒𞥓𞥔𞥕𞥖', 'Adlam'],
    ['1٢３४𝟝𝟼', 'a mixture'],
  ])('%j is 123456 (%s)', (text) => {
    expect(normalizeCode(text)).toBe('123456');
  });

  it('have the digits of each numbering system', () => {
    for (const numberingSystem of Intl.supportedValuesOf('numberingSystem')) {
      const format = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false });
      const digits = Array.from({ length: 10 }, (_, value) => format.format(value));
      if (digits.every((digit) => /^\p{Nd}$/u.test(digit)))
        expect([numberingSystem, normalizeCode(digits.join(''))]).toEqual([numberingSystem, '0123456789']);
    }
  });

  it.each(['', '12345', 'abcdef', '①②③④⑤⑥', '一二三四五六', '12345²', '123.456'])('%j is none', (text) => {
    expect(normalizeCode(text)).not.toMatch(/^\d{6}$/);
  });
});

describe('recovery codes', () => {
  it('are ten different ones of 120 bits in groups of four', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){5}$/);
  });

  it('can have the 80 bits of earlier ones', () => {
    expect(recoveryCodeHash('abcd-efgh-ijkl-mnop')).toEqual(hash('sha256', 'ABCDEFGHIJKLMNOP', 'buffer'));
  });

  it('do not depend on case, blanks and hyphens', () => {
    for (const code of newRecoveryCodes()) {
      const plain = code.replaceAll('-', '');
      const texts = [plain, plain.toLowerCase(), ` ${code.replaceAll('-', ' ')} `, [...plain].join('-'), `${code}\n`];
      texts.push(fullWidth(code), `\u200f${code.replaceAll('-', '\u2011')}\u200f`);
      for (const text of texts) expect(recoveryCodeHash(text)).toEqual(recoveryCodeHash(code));
    }
  });

  it.each([
    '',
    'ABCD',
    'ABCD-EFGH-IJKL-MNO',
    'ABCD-EFGH-IJKL-MNOPQ',
    'ABCD-EFGH-IJKL-MNOP-QRST',
    'ABCD-EFGH-IJKL-MN01',
    'ABCD_EFGH_IJKL_MNOP',
  ])('are not %j', (text) => {
    expect(recoveryCodeHash(text)).toBeUndefined();
  });
});

describe('the authentication methods of a session', () => {
  const PASSWORD: Proof = { kind: 'password' };
  const passkey = (backupEligible: boolean, userVerified: boolean): Proof => ({
    kind: 'passkey',
    backupEligible,
    backedUp: false,
    userVerified,
  });
  it.each<[string, Proof[], string]>([
    ['a password', [PASSWORD], 'pwd'],
    ['a password and a TOTP', [PASSWORD, { kind: 'totp' }], 'pwd otp mfa'],
    ['a password and a recovery code', [PASSWORD, { kind: 'recovery-code' }], 'pwd otp mfa'],
    ['a password and a passkey that can be backed up', [PASSWORD, passkey(true, false)], 'pwd swk mfa'],
    ['a password and a passkey that cannot', [PASSWORD, passkey(false, true)], 'pwd hwk user mfa'],
    ['a passkey that has verified the user', [passkey(true, true)], 'swk user mfa'],
    ['a passkey that has not', [passkey(false, false)], 'hwk'],
    ['a passkey that is backed up', [{ ...passkey(false, false), backedUp: true } as Proof], 'swk'],
    ['a TOTP and a recovery code', [{ kind: 'totp' }, { kind: 'recovery-code' }], 'otp'],
    ['a password, twice', [PASSWORD, PASSWORD], 'pwd'],
  ])('after %s', (_what, proofs, expected) => {
    expect(provenMethods(proofs).join(' ')).toBe(expected);
    // In any order, and one after the other.
    expect(provenMethods(proofs.toReversed()).join(' ')).toBe(expected);
    expect(
      proofs
        .reduce<ReturnType<typeof provenMethods>>((earlier, proof) => provenMethods([proof], earlier), [])
        .join(' '),
    ).toBe(expected);
  });
});

describe('the decision on a login', () => {
  const passkeys = true;
  const FLORIST = builtInRights({ roles: ['FLORIST'], tenantId: 'acme' });
  const ADMIN = builtInRights({ roles: ['ADMIN'], tenantId: 'acme' });
  const SUPER_ADMIN = builtInRights({ roles: ['SUPER_ADMIN'], tenantId: undefined });

  it.each([
    ['OPTIONAL', 'none', 'none', 'none'],
    ['REQUIRED_FOR_ADMINISTRATORS', 'none', 'enrolment', 'enrolment'],
    ['REQUIRED', 'enrolment', 'enrolment', 'enrolment'],
  ] as const)('without factors, where they are %s', (secondFactor, ...kinds) => {
    const decided = [FLORIST, ADMIN, SUPER_ADMIN].map((rights) =>
      decideFactors({ factors: [], rights }, { secondFactor }, { passkeys }),
    );
    expect(decided.map(({ kind }) => kind)).toEqual(kinds);
  });

  it.each(['OPTIONAL', 'REQUIRED_FOR_ADMINISTRATORS', 'REQUIRED'] as const)(
    'asks an account that has factors for one, where they are %s',
    (secondFactor) => {
      const factors: FactorMethod[] = ['totp', 'passkey', 'recovery-code'];
      for (const rights of [FLORIST, ADMIN, SUPER_ADMIN])
        expect(decideFactors({ factors, rights }, { secondFactor }, { passkeys })).toEqual({
          kind: 'factor',
          methods: factors,
        });
    },
  );

  it('never offers passkeys where they are off, and then lets nobody in without a factor', () => {
    const decide = (...factors: FactorMethod[]) =>
      decideFactors({ factors, rights: FLORIST }, { secondFactor: 'REQUIRED' }, { passkeys: false });
    expect(decide()).toEqual({ kind: 'enrolment', methods: ['totp'] });
    expect(decide('passkey', 'recovery-code')).toEqual({ kind: 'factor', methods: ['recovery-code'] });
    expect(decide('passkey')).toEqual({ kind: 'unusable' });
  });
});

describe('the lock against guessing', () => {
  it('locks at the fifth wrong code within 15 minutes, for 15 minutes, and then begins again', () => {
    let state = NO_FAILURES;
    for (const minute of [0, 3, 6, 9]) state = countWrongCode(state, minute * MINUTE_MS);
    expect(codeLockEnd(state, 9 * MINUTE_MS)).toBeUndefined();
    state = countWrongCode(state, 14.9 * MINUTE_MS);
    expect(codeLockEnd(state, 14.9 * MINUTE_MS)).toBe(29.9 * MINUTE_MS);
    expect(codeLockEnd(state, 29.9 * MINUTE_MS)).toBeUndefined();
    const again = { failedTimes: [29.9 * MINUTE_MS], lockedUntil: undefined };
    expect(countWrongCode(state, 29.9 * MINUTE_MS)).toEqual(again);
  });

  it('forgets each wrong code after 15 minutes', () => {
    let state = NO_FAILURES;
    for (const minute of [0, 12, 13, 14, 15]) state = countWrongCode(state, minute * MINUTE_MS);
    expect(state).toEqual({
      failedTimes: [12, 13, 14, 15].map((minute) => minute * MINUTE_MS),
      lockedUntil: undefined,
    });
    expect(codeLockEnd(countWrongCode(state, 16 * MINUTE_MS), 16 * MINUTE_MS)).toBe(31 * MINUTE_MS);
  });

  // The model knows all times: it locks for 15 minutes at the fifth wrong code of any 15 minutes.
  it.each([1, 10, 60, 300, 600])(
    'is that of a model which keeps all times, with a code every %d s at most',
    (seconds) => {
      let seed = seconds;
      const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
      const evaluated: number[] = [];
      let state = NO_FAILURES;
      let lockEnd = 0;
      let now = 0;
      for (let attempt = 0; attempt < 5_000; attempt += 1) {
        // Also codes at the same time, and at the last moment of a window or of a lock.
        const edges = [now, (evaluated.at(-4) ?? now) + 15 * MINUTE_MS, lockEnd, lockEnd - 1].filter((at) => at >= now);
        now =
          random() < 0.2 ? edges[Math.floor(random() * edges.length)]! : now + Math.floor(random() * seconds * 1000);
        expect(codeLockEnd(state, now)).toBe(lockEnd > now ? lockEnd : undefined);
        if (lockEnd > now) continue;
        evaluated.push(now);
        const inWindow = evaluated.slice(-6).filter((at) => at > now - 15 * MINUTE_MS).length;
        expect(inWindow).toBeLessThanOrEqual(5);
        if (inWindow === 5) lockEnd = now + 15 * MINUTE_MS;
        state = countWrongCode(state, now);
        expect(state.failedTimes.length).toBeLessThanOrEqual(5);
      }
      expect(evaluated.length).toBeGreaterThan(30);
    },
  );
});

describe('a challenge', () => {
  const NOW = 1_000_000;
  const created = newChallenge(NOW);
  const stored = {
    ...created,
    tenantId: 'acme',
    accountId: created.id,
    kind: 'factor',
    transport: 'COOKIE',
    rememberMe: false,
    origin: 'https://shop.test',
    factorsVersion: 1,
    tries: 0,
    usedAt: undefined,
    totpSecret: undefined,
  } as const;
  const answer = { transport: 'COOKIE', origin: 'https://shop.test', now: NOW };

  it('has at most 512 characters, and is found by its text', () => {
    expect(created.text.length).toBeLessThanOrEqual(512);
    expect(parseChallenge(created.text)).toEqual({ id: created.id, secretHash: created.secretHash });
    expect(findChallengeFault(stored, parseChallenge(created.text)!, answer)).toBeUndefined();
  });

  it.each([
    '',
    '.',
    created.id,
    `${created.id}.`,
    `${created.text}A`,
    `${created.text}.`,
    created.text.slice(0, -1),
    created.text.toUpperCase(),
    ` ${created.text}`,
  ])('is not %j', (text) => {
    expect(parseChallenge(text)).toBeUndefined();
  });

  it.each([
    ['has another secret', { secretHash: newChallenge(NOW).secretHash }, {}],
    ['was used', { usedAt: NOW }, {}],
    ['has expired', {}, { now: NOW + 300_000 }],
    ['has no tries left', { tries: 5 }, {}],
    ['belongs to another origin', {}, { origin: 'https://evil.test' }],
    ['belongs to an origin, and the request has none', {}, { origin: undefined }],
    ['belongs to no origin, and the request has one', { origin: undefined }, {}],
    ['belongs to the other profile', {}, { transport: 'BODY' }],
  ])('is refused if it %s', (_what, state, request) => {
    const fault = findChallengeFault({ ...stored, ...state }, created, { ...answer, ...request });
    expect(fault).toEqual(expect.any(String));
  });

  it('is refused if it is unknown, and accepted until its last millisecond', () => {
    expect(findChallengeFault(undefined, created, answer)).toEqual(expect.any(String));
    expect(findChallengeFault({ ...stored, tries: 4 }, created, { ...answer, now: NOW + 299_999 })).toBeUndefined();
  });
});
