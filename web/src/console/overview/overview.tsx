// What happened at the logins of a tenant, and which applications they were for.
import { useEffect } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { getStatistics, type Statistics, type StatisticsPeriod } from '../../../../client/src/operations.ts';
import { formatDateTime, formatHour, formatNumber, formatUtcDay } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { AuthorizationsByApplication } from './authorizations.tsx';
import { Chart } from './chart.tsx';
import { FailuresByReason } from './failures.tsx';
import { People } from './people.tsx';
import { overviewTexts } from './texts.ts';

/** The service counts each minute. */
const INTERVAL_MS = 60_000;

const PERIODS = {
  hours: { data: ({ hours }: Statistics) => hours, format: formatHour },
  days: { data: ({ days }: Statistics) => days, format: formatUtcDay },
} as const;

export default function Overview() {
  const { session } = useService();
  const { canOpen, tenantId } = useConsole();
  const [search, setSearch] = useSearchParams();
  const period = search.get('period') === 'days' ? 'days' : 'hours';
  const query = useQuery(
    async (signal) => (await getStatistics(session, { query: { tenantId } }, { signal })).data,
    [tenantId],
  );
  useEffect(() => {
    const timer = setInterval(() => document.hidden || query.reload(), INTERVAL_MS);
    return () => clearInterval(timer);
  }, [query.reload]);
  const texts = overviewTexts();
  const choose = (name: keyof typeof PERIODS) =>
    setSearch((current) => {
      current.set('period', name);
      return current;
    });
  return (
    <ConsoleFrame
      title={texts.title}
      actions={
        <div class="choice" role="group" aria-label={texts.period}>
          {(['hours', 'days'] as const).map((name) => (
            <button key={name} aria-pressed={period === name} onClick={() => choose(name)}>
              {texts[name]}
            </button>
          ))}
        </div>
      }
    >
      <QueryView query={query}>
        {(data) => (
          <div class="record">
            <Sums statistics={data} periods={PERIODS[period].data(data)} />
            {canOpen('/users') && <People />}
            <Chart periods={PERIODS[period].data(data)} format={PERIODS[period].format} />
            <FailuresByReason periods={PERIODS[period].data(data)} />
            <AuthorizationsByApplication periods={PERIODS[period].data(data)} />
            <p class="quiet-text">
              {data.countedAt === undefined ? texts.notCounted : texts.countedAt(formatDateTime(data.countedAt))}
              {data.passwordHashes && ` ${texts.hashesNote}`}
            </p>
          </div>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}

interface SumsProps {
  readonly statistics: Statistics;
  readonly periods: readonly StatisticsPeriod[];
}

function Sums({ statistics: { openSessions, openSessionsIsMinimum, passwordHashes }, periods }: SumsProps) {
  const texts = overviewTexts();
  const sum = (name: 'logins' | 'failures' | 'locks') =>
    formatNumber(periods.reduce((total, period) => total + period[name], 0));
  const open = formatNumber(openSessions);
  const sums = [
    [texts.logins, sum('logins')],
    [texts.failures, sum('failures')],
    [texts.locks, sum('locks')],
    [texts.openSessions, openSessionsIsMinimum ? texts.atLeast(open) : open],
    ...(passwordHashes ? [[texts.hashes, formatNumber(passwordHashes.running + passwordHashes.queued)] as const] : []),
  ] as const;
  return (
    <dl class="sums">
      {sums.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
