// A session: where it is from, how its user logged in, and what it did.
import { Link } from 'wouter-preact';
import { getSession, listAuditRecords, type AuditRecord, type Session } from '../../../../client/src/operations.ts';
import { readPage } from '../../../../client/src/index.ts';
import { codeOf } from '../../errors.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Alert } from '../../ui/alert.tsx';
import { Acts, type Act } from '../../ui/act-button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { eventColumns } from '../audit/columns.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { useUser } from '../users/user-detail.tsx';
import { useUserActs } from '../users/user-acts.tsx';
import { browserOf, useEndSession } from './columns.tsx';
import { sessionTexts } from './texts.ts';

export function SessionDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const { holds } = useConsole();
  const texts = sessionTexts();
  const query = useQuery(
    async (signal) => {
      try {
        return { open: (await getSession(session, { path: { sessionId: id } }, { signal })).data };
      } catch (error) {
        // What it did stays of interest.
        if (codeOf(error) !== 'not-found') throw error;
        return { open: undefined };
      }
    },
    [id],
    ['sessions'],
  );
  const one = query.data?.open;
  return (
    <ConsoleFrame title={one ? texts.sessionOf(one.username ?? one.accountId) : texts.session}>
      <QueryView query={query}>
        {({ open }) => (
          <div class="record">
            {open ? <OpenSession one={open} /> : <Alert kind="warning">{texts.isOver}</Alert>}
            {holds('READ_AUDIT') && <Doings id={id} isOpen={open !== undefined} />}
          </div>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}

function OpenSession({ one }: { readonly one: Session }) {
  const { canOpen, linkTo } = useConsole();
  const end = useEndHere(one);
  const texts = sessionTexts();
  const { accountId, username, clientAddress, userAgent, rememberMe, createdAt, refreshedAt, expiresAt } = one;
  return (
    <>
      {canOpen('/users') ? (
        <UserActs one={one} />
      ) : (
        <Acts acts={[end]} />
      )}
      <Facts>
        <Fact label={texts.user}>
          {canOpen('/users') ? (
            <Link href={linkTo(`/users/${accountId}`)}>
              <Name>{username ?? accountId}</Name>
            </Link>
          ) : (
            <Name>{username ?? accountId}</Name>
          )}
        </Fact>
        <Fact label={texts.browser}>
          <span title={userAgent}>
            <Name>{browserOf(one)}</Name>
          </span>{' '}
          {one.current && <span class="quiet-text">({texts.current})</span>}
        </Fact>
        <Fact label={texts.address}>
          <Name>{clientAddress}</Name>{' '}
          <Link href={linkTo('/sessions', { address: clientAddress })}>{texts.othersFrom}</Link>
        </Fact>
        <Fact label={texts.opened}>
          <Time>{createdAt}</Time>
        </Fact>
        <Fact label={texts.refreshed}>
          <Time>{refreshedAt}</Time>
        </Fact>
        <Fact label={texts.expires}>
          <Time>{expiresAt}</Time> <span class="quiet-text">{rememberMe ? texts.remembered : texts.untilClosed}</span>
        </Fact>
      </Facts>
    </>
  );
}

/** Returns the act that ends the session, whose label needs no name beside it. */
function useEndHere(one: Session): Act {
  const { name: _name, ...end } = useEndSession(one);
  return { ...end, label: sessionTexts().endAct };
}

/** The acts on the session, and on the account of its user. */
function UserActs({ one }: { readonly one: Session }) {
  const user = useUser(one.accountId);
  return <QueryView query={user}>{(versioned) => <ActsOf one={one} versioned={versioned} />}</QueryView>;
}

function ActsOf({ one, versioned }: { readonly one: Session; readonly versioned: Parameters<typeof useUserActs>[0] }) {
  const { holds } = useConsole();
  const end = useEndHere(one);
  const { offered } = useUserActs(versioned);
  return (
    <Acts acts={[...(holds('MANAGE_SESSIONS') ? [end] : []), ...offered('secure', 'disable')]} />
  );
}

const SHOWN = 20;

/** How its user logged in, and what the session did since. */
function Doings({ id, isOpen }: { readonly id: string; readonly isOpen: boolean }) {
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
            {login && <Login record={login} />}
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

function Login({ record: { details, username, clientAddress, at } }: { readonly record: AuditRecord }) {
  const texts = sessionTexts();
  const { methods, known, userAgent } = details;
  const names = (Array.isArray(methods) ? methods : String(methods ?? '').split(',')).filter((name) => name !== '');
  const isKnown = known === true || known === 'true';
  return (
    <section>
      <h2>{texts.login}</h2>
      <Facts>
        <Fact label={texts.user}>
          <Name>{username}</Name>
        </Fact>
        <Fact label={texts.at}>
          <Time>{at}</Time>
        </Fact>
        <Fact label={texts.from}>
          {clientAddress}, <Name>{browserOf({ userAgent: typeof userAgent === 'string' ? userAgent : '' })}</Name>
        </Fact>
        <Fact label={texts.methods}>
          {names.map((name) => texts[name as 'password'] ?? name).join(', ') || '–'}
        </Fact>
        {known !== undefined && (
          <Fact label={texts.novelty}>
            <Status kind={isKnown ? 'good' : 'warn'}>{isKnown ? texts.known : texts.isNew}</Status>
          </Fact>
        )}
      </Facts>
    </section>
  );
}
