import { describe, expect, it } from 'vitest';
import { compareSchema } from '../../src/platform/db/migrate.ts';

const KNOWN = ['0001_tenants.ts', '0002_accounts.ts'];

describe('the code of a process fits the schema', () => {
  it('of its own release', () => {
    expect(compareSchema(KNOWN, KNOWN)).toEqual({ missing: [], tooNew: undefined });
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
  });
});
