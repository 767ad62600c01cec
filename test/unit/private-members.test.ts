import { afterEach, describe, expect, it, vi } from 'vitest';
import { privateMembers, type PrivateUse } from '../../src/platform/private-members.ts';

interface Members {
  readonly one: number;
  readonly two: string | null;
}

const use = (): PrivateUse => ({ library: 'example', without: 'it is slower' });

describe('private members', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  afterEach(() => void emit.mockClear());

  it('are those of the owner, also if a value is null or inherited', () => {
    const owner: unknown = Object.assign(Object.create({ one: 0 }) as object, { two: null });
    expect(privateMembers<Members>(owner, ['one', 'two'], use())).toBe(owner);
    expect(emit).not.toHaveBeenCalled();
  });

  it('are undefined if one is missing, with one warning for each use', () => {
    const [first, second] = [use(), use()];
    for (const one of [first, first, second])
      expect(privateMembers<Members>({ two: 'x' }, ['one', 'two'], one)).toBeUndefined();
    expect(emit.mock.calls.map(([message]) => message)).toEqual(
      Array(2).fill('This version of example has no member one: it is slower'),
    );
  });

  it.each([undefined, null])('are undefined without an owner', (owner) => {
    expect(privateMembers<Members>(owner, ['one'], use())).toBeUndefined();
  });
});
