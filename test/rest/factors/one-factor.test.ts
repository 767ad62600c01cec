// DELETE /users/{id}/factors/{factorId}: one factor of a user.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { API, caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { addPasskey, PASSKEYS } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { authorizedBy, seedSession } from '../../support/sessions.ts';
import { openAdministration } from '../admin/administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: PASSKEYS });

  it('takes one away, and the recovery codes with the last one, and ends the sessions', async () => {
    const { account } = await seedTotp(acme.world.deployment);
    const session = await seedSession(acme.world.deployment, account);
    const { passkey } = await addPasskey(acme.world.clients, authorizedBy(session));
    const path = `/users/${account.id}/factors`;
    const factors = async () => Object.keys((await acme.admin.get(path)).body);
    expect(await factors()).toEqual(['totp', 'passkeys', 'recoveryCodes', 'required']);
    const other = await seedTotp(acme.world.deployment);
    for (const id of [newId(), 'sms']) expect((await acme.admin.delete(`${path}/${id}`)).status).toBe(404);
    const foreign = `/users/${other.account.id}/factors/${passkey!.id}`;
    expect(await acme.admin.delete(foreign)).toEqual(problem(404, 'not-found', API + foreign));

    expect((await acme.admin.delete(`${path}/totp`)).status).toBe(204);
    expect(await factors()).toEqual(['passkeys', 'recoveryCodes', 'required']);
    expect((await restClient(acme.world.deployment.url).me(session.accessToken)).status).toBe(401);
    expect((await acme.admin.delete(`${path}/totp`)).status).toBe(404);
    expect((await acme.admin.delete(`${path}/${passkey!.id}`)).status).toBe(204);
    expect(await factors()).toEqual(['required']);
    const { body } = await acme.admin.get(`/audit-records?accountId=${account.id}&events=factor.removed`);
    expect(body.map(({ details }: { details: object }) => details)).toEqual([
      { method: 'passkey', passkeyId: passkey!.id, sessionsEnded: 0 },
      { method: 'totp', sessionsEnded: 1 },
    ]);
  });

  it('is for others, also for HELP_DESK, unless the account is an administrator', async () => {
    const { account } = await seedTotp(acme.world.deployment);
    const helper = await caller(acme.world.deployment, { roles: ['HELP_DESK'] });
    const auditor = await caller(acme.world.deployment, { roles: ['AUDITOR'] });
    expect((await auditor.delete(`/users/${account.id}/factors/totp`)).status).toBe(403);
    expect((await helper.delete(`/users/${account.id}/factors/totp`)).status).toBe(204);
    const admin = await seedTotp(acme.world.deployment, { roles: ['ADMIN'] });
    expect((await helper.delete(`/users/${admin.account.id}/factors/totp`)).status).toBe(403);
    expect((await acme.admin.delete(`/users/${acme.admin.account.id}/factors/totp`)).status).toBe(409);
  });
});
