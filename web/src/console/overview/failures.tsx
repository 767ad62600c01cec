import type { StatisticsPeriod } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
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
    <section>
      <h2>{texts.byReason}</h2>
      {counts.size === 0 ? (
        <p class="quiet-text">{texts.noFailures}</p>
      ) : (
        <dl class="facts">
          {[...counts]
            .toSorted(([, one], [, other]) => other - one)
            .map(([reason, count]) => (
              <div key={reason}>
                <dt>{textOf(reason)}</dt>
                <dd>{formatNumber(count)}</dd>
              </div>
            ))}
        </dl>
      )}
    </section>
  );
}
