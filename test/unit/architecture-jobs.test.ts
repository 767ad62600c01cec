// Each job of the composition leaves room for calls: its statements go through the slices of the process (src/platform/jobs/slices.ts).
import { expect, it } from 'vitest';
import { file, sources, testRules, type Rule } from './architecture.ts';

/** Loops without slices, and why they need none. */
const WITHOUT_SLICES: Readonly<Record<string, string>> = {
  // One small write of what calls have left, which the calls of other processes wait for.
  'src/auth/session/rotation/rotation-batches.ts': 'setInterval',
};

const HOME = /^src\/platform\/(?:jobs|process|rpc|concurrency|db|tracing|http)\//;
const isRoom = (path: string) => path.startsWith('src/') && !HOME.test(path);
/** A loop of its own, instead of startJob. */
const LOOP = /\bsetInterval\(/;
/** Work without a call. */
const JOB = /\b(?:startJob|takeLease|createKeptLease)\(/;
const TAKES_SLICES = /\bbackgroundOf\(|\bBackgroundDatabase\b/;
/** What `remove` of a cleanup target gets besides the batch. */
const REMOVES = /\bremove(?:\(|: \()\{ now, size \}(?!, database\))/;

const RULES: readonly Rule[] = [
  {
    name: 'only startJob repeats work',
    violations: (all) => all.filter(({ path, text }) => isRoom(path) && LOOP.test(text)).map(({ path }) => path),
    counterexample: [file('src/auth/audit/a.ts', 'timers.setInterval(() => void run(), 1_000).unref();')],
  },
  {
    name: 'a job uses the database of jobs',
    violations: (all) =>
      all
        .filter(({ path, text }) => isRoom(path) && JOB.test(text) && !TAKES_SLICES.test(text))
        .map(({ path }) => path),
    counterexample: [file('src/auth/audit/a.ts', 'startJob({ database, run })')],
  },
  {
    name: 'the cleanup of a table uses the database that it gets',
    violations: (all) => all.filter(({ path, text }) => isRoom(path) && REMOVES.test(text)).map(({ path }) => path),
    counterexample: [file('src/business/a.ts', 'remove: ({ now, size }) => removeExpired(database, now, size)')],
  },
];

testRules(RULES, Object.keys(WITHOUT_SLICES));

it('all exceptions still exist', () => {
  const found = RULES.flatMap(({ violations }) => violations(sources));
  expect(Object.keys(WITHOUT_SLICES).filter((path) => !found.includes(path))).toEqual([]);
});

it('the jobs are found', () => {
  const jobs = sources.filter(({ path, text }) => isRoom(path) && /\bstartJob\(/.test(text)).map(({ path }) => path);
  expect(jobs.toSorted()).toEqual([
    'src/auth/audit/aggregate-statistics.ts',
    'src/auth/audit/export-records.ts',
    'src/auth/audit/refusal-log.ts',
    'src/auth/audit/seal-records.ts',
    'src/auth/mail/send-mails.ts',
    'src/auth/webhook/fan-out.ts',
  ]);
});
