// /statistics: authorizations by application, of each tenant and of all.
import { describe, expect, it } from 'vitest';
import { aggregateStatistics } from '../../../src/auth/audit/statistics/aggregate-statistics.ts';
import { insertAuditRecords } from '../../../src/auth/audit/trail/audit-store.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import type { Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openedService, signedIn, type ApplicationFields } from '../../support/oauth/service.ts';

rememberPasswords();

interface Authorizations {
  readonly authorizations: number;
  readonly authorizationsByApplication: readonly { clientId: string; name?: string; count: number }[];
  readonly otherAuthorizations: number;
}

const NONE: Authorizations = { authorizations: 0, authorizationsByApplication: [], otherAuthorizations: 0 };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const service = openedService(kind);

  /** A tenant with an administrator and a user. */
  const newTenant = async () => {
    const tenantId = `tenant-${newId()}`;
    return { tenantId, admin: await service.admin(tenantId), user: await service.user({ tenantId }) };
  };
  type Tenant = Awaited<ReturnType<typeof newTenant>>;

  const newParty = (fields: ApplicationFields) => service.party({ firstParty: true, ...fields });
  const authorize = async (tenant: Tenant, party: Awaited<ReturnType<typeof newParty>>) =>
    party.logIn(await signedIn(service, tenant.user), tenant.user);

  /** Stores records as the exchange of a code does. */
  const insertGrants = (tenantId: string, clientIds: readonly string[]) =>
    insertAuditRecords(
      service.deployment.database,
      clientIds.map((clientId) => ({
        id: newId(),
        tenantId,
        at: service.deployment.clock.now(),
        event: 'grant.created' as const,
        clientAddress: '192.0.2.1',
        requestId: '',
        details: { application: newId(), clientId },
      })),
    );

  const count = () =>
    aggregateStatistics({ database: service.deployment.database, clock: service.deployment.clock.now });
  /** The authorizations of the current hour and day. */
  const statisticsOf = async (by: Caller, query = ''): Promise<[Authorizations, Authorizations]> => {
    const { status, body } = await by.get(`/statistics${query}`);
    expect(status).toBe(200);
    const [hour, day] = [body.hours, body.days].map(
      (periods) => periods.at(-1) as Authorizations & Readonly<Record<string, unknown>>,
    );
    const of = ({ authorizations, authorizationsByApplication, otherAuthorizations }: Authorizations) => ({
      authorizations,
      authorizationsByApplication,
      otherAuthorizations,
    });
    return [of(hour!), of(day!)];
  };

  it('counts the authorizations of applications', async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const wiki = await newParty({ tenantId: one.tenantId, name: 'Wiki' });
    const shared = await newParty({ tenantId: undefined, name: 'Board' });
    await count();
    const [before] = await statisticsOf(await service.root());
    await authorize(one, wiki);
    await authorize(one, wiki);
    await authorize(one, shared);
    const tokens = await authorize(other, shared);
    await shared.refresh(tokens.refreshToken);
    await wiki.token({ grant_type: 'authorization_code', code: 'unknown', redirect_uri: wiki.client.redirectUri });
    await count();
    const ofWiki = { clientId: wiki.client.id, name: 'Wiki' };
    const ofShared = { clientId: shared.client.id, name: 'Board' };
    const ofOne = {
      authorizations: 3,
      authorizationsByApplication: [
        { ...ofWiki, count: 2 },
        { ...ofShared, count: 1 },
      ],
      otherAuthorizations: 0,
    };
    expect(await statisticsOf(one.admin)).toEqual([ofOne, ofOne]);
    expect(await statisticsOf(await service.root(), `?tenantId=${one.tenantId}`)).toEqual([ofOne, ofOne]);
    const ofOther = {
      authorizations: 1,
      authorizationsByApplication: [{ ...ofShared, count: 1 }],
      otherAuthorizations: 0,
    };
    expect(await statisticsOf(other.admin)).toEqual([ofOther, ofOther]);
    const [all] = await statisticsOf(await service.root());
    expect(all.authorizations - before.authorizations).toBe(4);
    expect(all.authorizationsByApplication).toEqual(
      expect.arrayContaining([
        { ...ofWiki, count: 2 },
        { ...ofShared, count: 2 },
      ]),
    );
  });

  it('lists 20 applications, and the sum of the others', async () => {
    const { tenantId, admin } = await newTenant();
    const ids = [...Array.from({ length: 24 }, (_, index) => `client-${index + 10}`), '__proto__'];
    await insertGrants(tenantId, [...ids, ...ids.slice(20), '__proto__']);
    await count();
    const expected = {
      authorizations: 31,
      // The most frequent first. They were deleted, so they have no names.
      authorizationsByApplication: [
        { clientId: '__proto__', count: 3 },
        ...ids.slice(20, 24).map((clientId) => ({ clientId, count: 2 })),
        ...ids.slice(0, 15).map((clientId) => ({ clientId, count: 1 })),
      ],
      otherAuthorizations: 5,
    };
    expect(await statisticsOf(admin)).toEqual([expected, expected]);
  });

  it('stores the most frequent applications of an hour with the longest client ids, and the sum of the others', async () => {
    const { tenantId, admin } = await newTenant();
    const ids = Array.from({ length: 450 }, (_, index) => `${index}`.padStart(100, 'x'));
    await insertGrants(tenantId, ids);
    await count();
    const [{ authorizations, otherAuthorizations }] = await statisticsOf(admin);
    expect([authorizations, otherAuthorizations]).toEqual([450, 430]);
  });

  it("does not name another tenant's application", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const { client } = await newParty({ tenantId: other.tenantId, name: 'Secret project' });
    // An application of the tenant had this client id before.
    await insertGrants(one.tenantId, [client.id]);
    await count();
    const [{ authorizationsByApplication }] = await statisticsOf(one.admin);
    expect(authorizationsByApplication).toEqual([{ clientId: client.id, count: 1 }]);
  });

  it('reads an hour that an earlier release has counted as one without authorizations', async () => {
    const { tenantId, admin } = await newTenant();
    await insertGrants(tenantId, ['wiki']);
    await count();
    await service.deployment.database.execute('UPDATE login_statistics SET authorizations = NULL WHERE tenant_id = ?', [
      Buffer.from(tenantId),
    ]);
    expect(await statisticsOf(admin)).toEqual([NONE, NONE]);
  });
});
