// Each job is an intervalJob, and leaves room for calls: its statements go through the slices of the process (src/platform/jobs/slices.ts).
import { expect, it } from 'vitest';
import { file, sources, testRules, type Rule } from './architecture.ts';

/** Other loops, and why they need no slices. */
const OTHER_LOOPS: Readonly<Record<string, string>> = {
  // One small write of what calls have left, which the calls of other processes wait for.
  'src/auth/session/rotation/rotation-batches.ts': 'setInterval',
};

const HOME = /^src\/platform\/(?:jobs|process|rpc|concurrency|db|tracing|http)\//;
const isRoom = (path: string) => path.startsWith('src/') && !HOME.test(path);
/** What intervalJob does for a job: timers and leases. */
const LOOP = /\b(?:setInterval|takeLease|createKeptLease)\(/;
const JOB = /\bintervalJob\(/;
const JOBS = /^src\/platform\/jobs\//;
/** Where loop and lease are. */
const HOUSE = /^src\/platform\/jobs\/(?:interval-job|lease)\.ts$/;
const TAKES_SLICES = /\bbackgroundOf\(|\bBackgroundDatabase\b/;
/** What `remove` of a cleanup target gets besides the batch. */
const REMOVES = /\bremove(?:\(|: \()\{ now, size \}(?!, database\))/;

const RULES: readonly Rule[] = [
  {
    name: 'only intervalJob repeats work and takes leases',
    violations: (all) =>
      all
        .filter(({ path, text }) => (isRoom(path) || JOBS.test(path)) && !HOUSE.test(path) && LOOP.test(text))
        .map(({ path }) => path),
    counterexample: [
      file('src/auth/audit/a.ts', 'timers.setInterval(() => void run(), 1_000).unref();'),
      file('src/platform/jobs/a.ts', 'const lease = await takeLease({ name });'),
    ],
  },
  {
    name: 'a job uses the database of jobs',
    violations: (all) =>
      all
        .filter(({ path, text }) => isRoom(path) && JOB.test(text) && !TAKES_SLICES.test(text))
        .map(({ path }) => path),
    counterexample: [file('src/auth/audit/a.ts', 'intervalJob({ database, batch })')],
  },
  {
    name: 'the cleanup of a table uses the database that it gets',
    violations: (all) => all.filter(({ path, text }) => isRoom(path) && REMOVES.test(text)).map(({ path }) => path),
    counterexample: [file('src/business/a.ts', 'remove: ({ now, size }) => removeExpired(database, now, size)')],
  },
];

testRules(RULES, Object.keys(OTHER_LOOPS));

it('all exceptions still exist', () => {
  const found = RULES.flatMap(({ violations }) => violations(sources));
  expect(Object.keys(OTHER_LOOPS).filter((path) => !found.includes(path))).toEqual([]);
});

it('the jobs are found', () => {
  const jobs = sources.filter(({ path, text }) => !HOUSE.test(path) && JOB.test(text)).map(({ path }) => path);
  expect(jobs.toSorted()).toEqual([
    'src/auth/audit/export/export-records.ts',
    'src/auth/audit/seals/seal-records.ts',
    'src/auth/audit/statistics/aggregate-statistics.ts',
    'src/auth/audit/trail/refusal-log.ts',
    'src/auth/delivery/deliver.ts',
    'src/auth/identity/users/disable-accounts.ts',
    'src/auth/mail/send-mails.ts',
    'src/auth/oauth/consent/forget-consents.ts',
    'src/auth/oauth/grants/count-grants.ts',
    'src/auth/oauth/logout/propagate-logout.ts',
    'src/auth/session/limits/limit-sessions.ts',
    'src/auth/webhook/fan-out.ts',
    'src/composition/tokens.ts',
    'src/platform/jobs/cleanup.ts',
    'src/platform/jobs/last-used.ts',
  ]);
});
