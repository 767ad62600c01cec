// The permissions that the console describes, against those of the service.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Permission } from '../../../proto/gen/authservice/access/v1/access.ts';

let groups: typeof import('../../src/console/roles/permission-groups.ts');
let texts: typeof import('../../src/console/roles/permission-texts.ts');
let screens: typeof import('../../src/console/permissions.ts');

beforeAll(async () => {
  vi.stubGlobal('navigator', { languages: ['en'] });
  vi.stubGlobal('document', { documentElement: {} });
  [groups, texts, screens] = await Promise.all([
    import('../../src/console/roles/permission-groups.ts'),
    import('../../src/console/roles/permission-texts.ts'),
    import('../../src/console/permissions.ts'),
  ]);
});
afterAll(() => vi.unstubAllGlobals());

it('has each permission in one group, with a sentence', () => {
  const names = Object.keys(Permission)
    .filter((name) => name.startsWith('PERMISSION_') && name !== 'PERMISSION_UNSPECIFIED')
    .map((name) => name.replace('PERMISSION_', ''));
  const listed: readonly string[] = Object.values(groups.PERMISSION_GROUPS).flat();
  expect(listed.toSorted()).toEqual(names.toSorted());
  for (const name of names) expect(texts.permissionText(name)).toMatch(/\.$/);
});

it('opens users, sessions and roles to those who may read users', () => {
  expect(screens.canOpen('/users', ['READ_USERS'])).toBe(true);
  expect(screens.canOpen('/sessions', ['READ_USERS'])).toBe(true);
  expect(screens.canOpen('/roles', ['READ_USERS'])).toBe(true);
  expect(screens.canOpen('/policy', ['READ_USERS'])).toBe(false);
});
