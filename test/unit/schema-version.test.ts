import { describe, expect, it } from 'vitest';
import { compareSchema, describeTooNew } from '../../src/platform/db/migrate.ts';

const KNOWN = ['0001_tenants.ts', '0002_accounts.ts'];

describe('the code of a process fits the schema', () => {
  it('of its own release', () => {
    expect(compareSchema(KNOWN, KNOWN)).toEqual({ missing: [], tooNew: undefined, ignored: [] });
  });

  it('of a later release that only adds', () => {
    expect(compareSchema(KNOWN, [...KNOWN, '0003_notes.ts']).tooNew).toBeUndefined();
  });

  it('of a later release that removes only parts that this code does not use', () => {
    expect(compareSchema(KNOWN, [...KNOWN, '0003_drop_old.needs-0002.ts']).tooNew).toBeUndefined();
  });

  it('not if migrations are missing', () => {
    expect(compareSchema(KNOWN, ['0001_tenants.ts']).missing).toEqual(['0002_accounts.ts']);
  });

  it('not if a later release removes a part that this code uses', () => {
    const dropped = '0004_drop_old.needs-0003.ts';
    expect(compareSchema(KNOWN, [...KNOWN, '0003_new.ts', dropped]).tooNew).toBe(dropped);
    expect(compareSchema(KNOWN, [...KNOWN, dropped], { ignoreLowestVersion: true }).tooNew).toBe(dropped);
  });

  it('not if records exist that this code does not enforce, unless a setting says so', () => {
    const stored = '0003_second_factors.stored.needs-0003.ts';
    const applied = [...KNOWN, '0003_factors.ts', stored];
    expect(compareSchema(KNOWN, applied)).toMatchObject({ tooNew: stored, ignored: [] });
    expect(describeTooNew(stored)).toMatch(
      /^has second factors, which .*set app\.database\.ignore-lowest-version=true/,
    );
    const ignored = compareSchema(KNOWN, applied, { ignoreLowestVersion: true });
    expect(ignored).toMatchObject({ tooNew: undefined, ignored: ['second factors'] });
    expect(compareSchema([...KNOWN, '0003_factors.ts'], applied)).toMatchObject({ tooNew: undefined, ignored: [] });
  });
});
