// What the tests of administration over REST have in common.
import { afterAll, beforeAll, expect } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { DeploymentOptions } from '../../support/deployment.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { openWorld, type World } from '../../support/world.ts';
import { caller, type Caller } from '../../support/callers.ts';

export const NEW_PASSWORD = 'A long enough password';
export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);

/** The paging headers: items on all pages, page, items on a page. */
export const pagingOf = ({ headers }: RestResponse) =>
  ['x-total-count', 'x-page', 'x-per-page'].map((name) => Number(headers.get(name)));

export const newUser = (more: object = {}) => ({
  username: `New-${newId()}@acme.test`,
  password: NEW_PASSWORD,
  name: ' New User ',
  roles: ['SALES', 'FLORIST'],
  ...more,
});

/** A deployment with its administrators. */
export interface Administration {
  readonly world: World;
  /** A SUPER_ADMIN. */
  readonly root: Caller;
  /** An ADMIN of the tenant acme. */
  readonly admin: Caller;
}

/** Opens a deployment before the tests of this block, and closes it after them. */
export function openAdministration(kind: DeploymentOptions): Administration {
  const opened = {} as { -readonly [Name in keyof Administration]: Administration[Name] };
  beforeAll(async () => {
    opened.world = await openWorld(kind);
    opened.root = await caller(opened.world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    opened.admin = await caller(opened.world.deployment, { roles: ['ADMIN'] });
  });
  afterAll(() => opened.world?.close());
  return opened;
}
