// A session: where it is from, how its user logged in, and what it did.
import { Link } from 'wouter-preact';
import { getSession, type Session } from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { useQuery } from '../../query.ts';
import { Alert } from '../../ui/alert.tsx';
import { Acts, type Act } from '../act-button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { lazyPart } from '../lazy.tsx';
import { useUserActs } from '../users/user-acts.tsx';
import { useUser } from '../users/user-queries.ts';
import { browserOf, useEndSession } from './columns.tsx';
import { sessionTexts } from './texts.ts';

const Doings = lazyPart(async () => (await import('./doings.tsx')).Doings);

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
      {canOpen('/users') ? <UserActs one={one} /> : <Acts acts={[end]} />}
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
  return <Acts acts={[...(holds('MANAGE_SESSIONS') ? [end] : []), ...offered('secure', 'disable')]} />;
}
