import type { StatisticsPeriod } from '../../../../client/src/operations.ts';
import { Counts } from './counts.tsx';
import { overviewTexts } from './texts.ts';

/** Why logins were refused, the most frequent reason first. */
export function FailuresByReason({ periods }: { readonly periods: readonly StatisticsPeriod[] }) {
  const texts = overviewTexts();
  const counts = new Map<string, number>();
  for (const { failuresByReason } of periods)
    for (const { reason, count } of failuresByReason) counts.set(reason, (counts.get(reason) ?? 0) + count);
  const textOf = (reason: string): string => {
    const text = (texts as Readonly<Record<string, unknown>>)[reason];
    return typeof text === 'string' ? text : reason;
  };
  return (
    <Counts
      title={texts.byReason}
      none={texts.noFailures}
      counts={[...counts]
        .toSorted(([, one], [, other]) => other - one)
        .map(([reason, count]) => ({ key: reason, label: textOf(reason), count }))}
    />
  );
}
