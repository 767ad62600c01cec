import { Link } from 'wouter-preact';
import { listAuditRecords, type AuditRecord } from '../../../../client/src/operations.ts';
import { readPage } from '../../../../client/src/index.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { eventColumns } from '../audit/columns.tsx';
import { useConsole } from '../context.ts';
import { browserOf } from './columns.tsx';
import { sessionTexts } from './texts.ts';

const SHOWN = 20;

/** How its user logged in, and what the session did since. */
export function Doings({ id, isOpen }: { readonly id: string; readonly isOpen: boolean }) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const query = useQuery(
    async (signal) =>
      readPage(await listAuditRecords(session, { query: { sessionId: id, perPage: SHOWN } }, { signal })),
    [id, isOpen],
  );
  const texts = sessionTexts();
  return (
    <QueryView query={query}>
      {({ items, totalCount }) => {
        const login = items.find(({ event }) => event === 'login.succeeded');
        return (
          <div class="record">
            {login && <Login record={login} isOpen={isOpen} />}
            <section>
              <h2>{texts.doings}</h2>
              {items.length === 0 ? (
                <p class="quiet-text">{texts.noDoings}</p>
              ) : (
                <Table caption={texts.doings} items={items} keyOf={(one) => one.id} columns={eventColumns(linkTo)} />
              )}
              {totalCount > items.length && (
                <Link href={linkTo('/audit', { sessionId: id })}>{texts.allDoings(formatNumber(totalCount))}</Link>
              )}
            </section>
          </div>
        );
      }}
    </QueryView>
  );
}

interface LoginProps {
  readonly record: AuditRecord;
  /** Whether the session is open, and says itself whose it is and where from. */
  readonly isOpen: boolean;
}

function Login({ record: { details, username, clientAddress, at }, isOpen }: LoginProps) {
  const texts = sessionTexts();
  const { methods, known, userAgent } = details;
  const names = Array.isArray(methods) ? (methods as readonly string[]) : [];
  const isKnown = known === true;
  return (
    <section>
      <h2>{texts.login}</h2>
      <Facts>
        {!isOpen && (
          <>
            <Fact label={texts.user}>
              <Name>{username}</Name>
            </Fact>
            <Fact label={texts.at}>
              <Time>{at}</Time>
            </Fact>
            <Fact label={texts.from}>
              {clientAddress}, <Name>{browserOf({ userAgent: typeof userAgent === 'string' ? userAgent : '' })}</Name>
            </Fact>
          </>
        )}
        <Fact label={texts.methods}>{names.map((name) => texts[name as 'password'] ?? name).join(', ') || '–'}</Fact>
        {known !== undefined && (
          <Fact label={texts.novelty}>
            <Status kind={isKnown ? 'good' : 'warn'}>{isKnown ? texts.known : texts.isNew}</Status>
          </Fact>
        )}
      </Facts>
    </section>
  );
}
