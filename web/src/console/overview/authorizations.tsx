import type { StatisticsPeriod } from '../../../../client/src/operations.ts';
import { Counts } from './counts.tsx';
import { overviewTexts } from './texts.ts';

/** Which applications got grants, the most frequent first, and the sum of those that the service does not list. */
export function AuthorizationsByApplication({ periods }: { readonly periods: readonly StatisticsPeriod[] }) {
  const texts = overviewTexts();
  const counts = new Map<string, { readonly name: string | undefined; readonly count: number }>();
  for (const { clientId, name, count } of periods.flatMap((period) => period.authorizationsByApplication))
    counts.set(clientId, { name, count: count + (counts.get(clientId)?.count ?? 0) });
  const others = periods.reduce((sum, { otherAuthorizations }) => sum + otherAuthorizations, 0);
  return (
    <Counts
      title={texts.byApplication}
      none={texts.noAuthorizations}
      counts={[
        ...[...counts]
          .toSorted(([, one], [, other]) => other.count - one.count)
          .map(([clientId, { name, count }]) => ({ key: clientId, label: name ?? <code>{clientId}</code>, count })),
        // Not a client id.
        ...(others > 0 ? [{ key: '', label: texts.otherApplications, count: others }] : []),
      ]}
    />
  );
}
