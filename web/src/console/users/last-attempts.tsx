import { Link } from 'wouter-preact';
import { listAuditRecords, type AuditRecord } from '../../../../client/src/operations.ts';
import { describeDetails } from '../../events/event-details.ts';
import { eventTexts } from '../../events/event-texts.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { loginHelpTexts } from './login-help-texts.ts';

const ATTEMPTS = ['login.failed', 'login.aborted', 'login.succeeded', 'second-factor.failed', 'account.locked'];
const SHOWN = 5;

/** What the service has recorded of the last logins. */
export function LastAttempts({ id }: { readonly id: string }) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const query = useQuery(
    async (signal) => {
      const filters = { account: id, events: ATTEMPTS, perPage: SHOWN };
      return (await listAuditRecords(session, { query: filters }, { signal })).data;
    },
    [id],
    ['users'],
  );
  const texts = loginHelpTexts();
  const events = eventTexts() as Readonly<Record<string, string>>;
  return (
    <section>
      <h2>{texts.attempts}</h2>
      <QueryView query={query}>
        {(records) =>
          records.length === 0 ? (
            <p class="quiet-text">{texts.noAttempts}</p>
          ) : (
            <Table
              caption={texts.attempts}
              items={records}
              keyOf={(record: AuditRecord) => record.id}
              columns={[
                {
                  title: texts.attempt,
                  cell: (record) => (
                    <Link href={linkTo(`/audit/${record.id}`)}>{events[record.event] ?? record.event}</Link>
                  ),
                },
                { title: texts.why, cell: ({ details }) => <Name>{describeDetails(details) || undefined}</Name> },
                { title: texts.at, cell: ({ at }) => <Time hasSeconds>{at}</Time> },
                { title: texts.address, cell: ({ clientAddress }) => clientAddress || '–' },
              ]}
            />
          )
        }
      </QueryView>
    </section>
  );
}
