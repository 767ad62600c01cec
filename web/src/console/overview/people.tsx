// How many users there are, and how many need attention.
import { Link } from 'wouter-preact';
import { readPage } from '../../../../client/src/index.ts';
import { listUsers, type User } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useConsole } from '../context.ts';
import { overviewTexts } from './texts.ts';

const STATES: readonly (User['state'] | 'ALL')[] = ['ALL', 'LOCKED', 'INVITED', 'DISABLED'];

export function People() {
  const { session } = useService();
  const { linkTo, tenantId } = useConsole();
  const query = useQuery(
    (signal) =>
      Promise.all(
        STATES.map(async (state) => {
          const filter = state === 'ALL' ? {} : { state };
          const page = readPage(await listUsers(session, { query: { tenantId, perPage: 1, ...filter } }, { signal }));
          return { state, count: page.totalCount, isMinimum: page.totalIsMinimum };
        }),
      ),
    [tenantId],
    ['users'],
  );
  const texts = overviewTexts();
  return (
    <section>
      <h2>{texts.people}</h2>
      <QueryView query={query}>
        {(counts) => (
          <dl class="sums">
            {counts.map(({ state = 'ALL', count, isMinimum }) => (
              <div key={state}>
                <dt>
                  <Link href={linkTo('/users', state === 'ALL' ? {} : { state })}>
                    {texts[`users:${state as 'ALL'}`]}
                  </Link>
                </dt>
                <dd>{isMinimum ? texts.atLeast(formatNumber(count)) : formatNumber(count)}</dd>
              </div>
            ))}
          </dl>
        )}
      </QueryView>
    </section>
  );
}
