// Transactions on the codes, grants and sessions of an account at once: none waits in a circle, and none misses what another has stored.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import type { Call } from '../../src/auth/access/principal.ts';
import { createChallengeStore } from '../../src/auth/factors/challenge-store.ts';
import { createAccountWriter } from '../../src/auth/identity/account-store.ts';
import { insertApplication } from '../../src/auth/oauth/applications/application-store.ts';
import { createIssueCode, type CodeOrder } from '../../src/auth/oauth/authorize/issue-code.ts';
import { addConsent } from '../../src/auth/oauth/consent/consent-store.ts';
import { createEndGrant, createEndOfflineGrants } from '../../src/auth/oauth/grants/end-grants.ts';
import { noticeEnd } from '../../src/auth/oauth/logout/session-application-store.ts';
import { createGrantStore } from '../../src/auth/oauth/grants/grant-store.ts';
import { createEndOtherSessions, createEndSession } from '../../src/auth/session/revocation/end-sessions.ts';
import { createSessionStore } from '../../src/auth/session/session-store.ts';
import { storeSessionUse } from '../../src/auth/session/slide-store.ts';
import { createBlacklist } from '../../src/auth/token/blacklist.ts';
import { createRevocations } from '../../src/auth/token/revocations.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { interleave } from '../support/held-rows.ts';
import { webApplication } from '../support/oauth/applications.ts';
import { offlineGrant } from '../support/oauth/grants.ts';
import { seedSession } from '../support/sessions.ts';

const MINUTE_MS = 60_000;

describe.each(ENGINES)('%s', (engine) => {
  const clock = testClock();
  const application = webApplication({ firstParty: true });
  let test: TestDatabase;
  let db: Database;
  let account: Account;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    db = test.database;
    account = await seedAccount(db);
    await insertApplication(db, application);
  });
  afterAll(() => test.drop());

  const openSession = async () => (await seedSession({ database: db, clock }, account)).id;
  const use = (tx: Statements, id: string) => {
    const expiresAt = clock.now() + MINUTE_MS;
    const ends = { now: clock.now(), expiresAt, accessExpiresAt: expiresAt };
    return storeSessionUse(db, tx, { tenantId: account.tenantId, id }, ends, UNLIMITED);
  };

  it('a code is issued while another one of the session is redeemed: both lock the account first', async () => {
    const id = await openSession();
    const writer = createAccountWriter(db);
    const issueCode = createIssueCode({
      database: db,
      slideSession: (tx, _of, { id: session }) => use(tx, session),
      issuer: 'https://login.example.com',
      clock: clock.now,
    });
    const order = {
      request: { redirectUri: 'https://app.example.com/callback', scopes: ['openid'] },
      application,
      live: { id, found: { account }, session: { authenticatedAt: clock.now(), methods: ['pwd'] } },
    } as unknown as CodeOrder;
    const call = { clientAddress: '127.0.0.1', deadline: UNLIMITED } as Call;
    let isUsed: unknown;
    await interleave(
      db,
      [
        (tx) => writer.lockInSession(tx, account, id, UNLIMITED),
        async (tx) => {
          isUsed = await use(tx, id);
        },
      ],
      (tx) => issueCode(tx, order, call),
    );
    expect(isUsed).toBe(true);
  });

  it('the first consent in several tabs at once is given by one of them, and the others do not wait for each other', async () => {
    const consent = { tenantId: account.tenantId, accountId: account.id, applicationId: application.id };
    const writer = createAccountWriter(db);
    const given = await Promise.all(
      [0, 1, 2].map(() =>
        db.transaction(UNLIMITED, async (tx) => {
          await writer.lock(tx, account, UNLIMITED);
          return addConsent(tx, consent, ['openid'], clock.now());
        }),
      ),
    );
    expect(given.filter(({ added }) => added.length === 1)).toHaveLength(1);
    expect(new Set(given.map(({ id }) => id)).size).toBe(1);
  });

  it('a grant that is stored while its session ends with the others ends too', async () => {
    const [id, current] = [await openSession(), await openSession()];
    const grants = createGrantStore(db);
    const blacklist = createBlacklist(
      db,
      createRevocations({ database: db, clock: clock.now, tokenLifetimeMs: MINUTE_MS }),
    );
    const endGrant = createEndGrant({ grants, blacklist, clock: clock.now });
    const endOthers = createEndOtherSessions({
      endSession: createEndSession({ sessions: createSessionStore(db), blacklist, noticeEnd, clock: clock.now }),
      challenges: createChallengeStore(db),
      endOffline: createEndOfflineGrants({ grants, endGrant }).ofSession,
      clock: clock.now,
    });
    const grant = offlineGrant(account, application, clock.now(), id);
    await interleave(db, [(tx) => use(tx, id), (tx) => grants.insert(tx, grant, UNLIMITED)], (tx) =>
      endOthers(tx, account, current, { deadline: UNLIMITED }, () => {}),
    );
    expect((await grants.findById(grant.id))?.revokedAt).toBe(clock.now());
  });
});
