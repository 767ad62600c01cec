// Relying parties of others: each logs in a user of a tenant through the pages of this service, reads the claims, refreshes, logs out,
// and is logged out. At the end, a table.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { withWatchedPage } from '../../../web/test/support/watched-page.ts';
import { eventually } from '../../support/eventually.ts';
import { PROJECT } from '../../support/service-process.ts';
import { PROVIDERS, startedProvider, type ProviderKind } from './deployments.ts';
import { FIRST_PARTIES, PARTIES } from './parties/all.ts';
import { claimsOf, startAt, type RunningParty, type Visit } from './party.ts';
import { tableOf, withRows, type Row, type Step } from './table.ts';

const [ON_SQLITE, ON_SERVER] = PROVIDERS.filter(({ profile }) => profile === 'A') as [ProviderKind, ProviderKind];

const DOCUMENT = join(PROJECT, 'docs/comparison.md');
const rows: Row[] = [];
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  console.log(tableOf(rows));
  if (process.env['WRITE_TABLE'] !== undefined) writeFileSync(DOCUMENT, withRows(readFileSync(DOCUMENT, 'utf8'), rows));
});

/** All parties on SQLite, and the first ones with two cores and a database server. A provider each with http and with https. */
const RUNS = [
  { kind: ON_SQLITE, all: PARTIES },
  { kind: ON_SERVER, all: FIRST_PARTIES },
].flatMap(({ kind, all }) =>
  [false, true].flatMap((isHttps) => {
    const parties = all.filter((party) => (party.isHttps ?? false) === isHttps);
    return parties.length === 0 ? [] : [{ kind, isHttps, parties }];
  }),
);

describe.each(RUNS)('$kind.processes, $kind.engine, https: $isHttps', ({ kind, isHttps, parties }) => {
  const provider = startedProvider(kind, { isHttps });

  describe.each(parties)('$name', (party) => {
    const row: Row = { party, kind, results: {}, minutes: 0 };
    let begun: number;
    let running: RunningParty;
    let origins: readonly string[];
    beforeAll(async () => {
      begun = performance.now();
      const [started, origin] = await startAt(provider, party);
      running = started;
      origins = [origin, new URL(provider.issuer).origin];
    });
    afterAll(async () => {
      await running?.stop();
      row.minutes = (performance.now() - begun) / 60_000;
      rows.push(row);
    });

    /** Runs with a new user who has logged in to the party. */
    async function visit(what: Step, run: (visit: Visit) => Promise<void>): Promise<void> {
      row.results[what] = 'failed';
      const user = await provider.user();
      await withWatchedPage(
        browser,
        origins,
        async (page) => {
          await running.logIn({ page, user });
          await run({ page, user });
        },
        { ignoreHTTPSErrors: isHttps },
      );
      row.results[what] = 'passed';
    }
    const expectNobody = (by: Visit): Promise<void> =>
      eventually(async () => expect(await running.claims(by)).toBeUndefined());

    it('logs in, and shows the claims', () =>
      visit('claims', async (by) => {
        const expected = claimsOf(by.user);
        for (const name of party.claims) expect(await running.claims(by)).toMatchObject({ [name]: expected[name] });
      }));

    if (party.refresh !== 'none')
      it(`refreshes by ${party.refresh}`, () =>
        visit('refresh', async (by) => {
          const first = await running.refresh!(by);
          expect(await running.refresh!(by)).not.toEqual(first);
          expect(await running.claims(by)).toMatchObject({ [party.claims[0]!]: claimsOf(by.user)[party.claims[0]!] });
        }));

    if (party.theirLogout !== 'none')
      it(`logs out: ${party.theirLogout}`, () =>
        visit('theirLogout', async (by) => {
          await running.logOut(by);
          if (party.theirLogout.startsWith('asks'))
            await by.page.getByRole('button', { name: 'Log out', exact: true }).click();
          const left = party.theirLogout === 'its own session only' ? 1 : 0;
          await eventually(async () => expect(await provider.sessions(by.user)).toHaveLength(left));
          await expectNobody(by);
        }));

    it(`learns of the end of the session ${party.ourLogout}`, () =>
      visit('ourLogout', async (by) => {
        await provider.endSessions(by.user);
        if (party.ourLogout === 'at once') return expectNobody(by);
        if (party.ourLogout === 'at its next refresh') return expect(running.refresh!(by)).rejects.toThrow();
        return expect(await running.claims(by)).toBeDefined();
      }));
  });
});
