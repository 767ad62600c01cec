// Calls that change their own session while an application uses it: the second one waits for the first, and both succeed.
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import type { Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { untilWaiting } from '../../support/held-rows.ts';
import { callerOf, openedService, signedIn } from '../../support/oauth/service.ts';
import { codeAt } from '../../support/totp.ts';

rememberPasswords();

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const service = openedService(kind);

  const changes: readonly (readonly [what: string, prepare: (caller: Caller) => Promise<() => Promise<number>>])[] = [
    [
      'confirmed by a password',
      async (caller) => async () => (await caller.post('/account/confirm', { password: PASSWORD })).status,
    ],
    [
      'that gets a second factor',
      async (caller) => {
        const { body } = await caller.post('/account/factors/totp');
        const totp = codeAt(body.secret, service.deployment.clock.now());
        return async () => (await caller.post('/account/factors/totp/confirm', { totp })).status;
      },
    ],
  ];

  it.each(changes)('a session %s, and the refresh of its grant', async (_, prepare) => {
    const { database } = service.deployment;
    const party = await service.party({ firstParty: true });
    const user = await service.user();
    const browser = await signedIn(service, user);
    const tokens = await party.logIn(browser, user);
    const change = await prepare(callerOf(service, browser));
    const session = [Buffer.from('acme'), idToBytes(String(tokens.claims['sid']))];
    const started: Promise<number>[] = [];
    await database.transaction(UNLIMITED, async (tx) => {
      await tx.execute('UPDATE session_families SET id = id WHERE tenant_id = ? AND id = ?', session);
      for (const start of [change, async () => (await party.refresh(tokens.refreshToken)).status]) {
        started.push(start());
        if (kind.engine !== 'sqlite') await untilWaiting(database, started.length);
      }
    });
    expect(await Promise.all(started)).toEqual([200, 200]);
  });
});
