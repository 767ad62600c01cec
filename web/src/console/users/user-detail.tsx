import { Link } from 'wouter-preact';
import { getUser, getUserFactors, type Factors, type User } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useQuery, type Query } from '../../query.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { userTexts } from './texts.ts';
import { UserActs } from './user-acts.tsx';
import { UserGrants } from './user-grants.tsx';
import { UserSessions } from './user-sessions.tsx';
import { UserState } from './user-state.tsx';

export function UserDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const { holds } = useConsole();
  const user = useQuery(async (signal) => (await getUser(session, { path: { userId: id } }, { signal })).data, [id]);
  const factors = useQuery(
    async (signal) => (await getUserFactors(session, { path: { userId: id } }, { signal })).data,
    [id],
  );
  const reload = () => {
    user.reload();
    factors.reload();
  };
  return (
    <ConsoleFrame title={user.data?.name ?? userTexts().title}>
      <QueryView query={user}>
        {(data) => (
          <div class="record">
            <UserActs user={data} factors={factors.data} onChange={reload} />
            <UserFacts user={data} factors={factors} />
            {holds('MANAGE_SESSIONS') && <UserSessions user={data} />}
            {holds('MANAGE_SESSIONS') && <UserGrants user={data} />}
          </div>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}

function UserFacts({ user, factors }: { readonly user: User; readonly factors: Query<Factors> }) {
  const { screens } = useConsole();
  const texts = userTexts();
  const { tenantId, email, emailVerified, loginFailedCount, accountExpiresAt, credentialsExpireAt } = user;
  return (
    <Facts>
      <Fact label={texts.state}>
        <UserState user={user} />
      </Fact>
      <Fact label={texts.username}>
        <Name>{user.username}</Name>
      </Fact>
      <Fact label={texts.email}>
        <Name>{email}</Name>{' '}
        {email !== undefined && <span class="quiet-text">({emailVerified ? texts.verified : texts.unverified})</span>}
      </Fact>
      <Fact label={texts.tenant}>
        {tenantId !== undefined && screens.some(({ path }) => path === '/tenants') ? (
          <Link href={`/tenants/${tenantId}?${new URLSearchParams({ tenantId })}`}>{tenantId}</Link>
        ) : (
          <Name>{tenantId}</Name>
        )}
      </Fact>
      <Fact label={texts.roles}>{user.heldRoles.join(', ')}</Fact>
      <Fact label={texts.factors}>{factors.data ? <FactorList factors={factors.data} /> : '–'}</Fact>
      {loginFailedCount > 0 && <Fact label={texts.failures}>{formatNumber(loginFailedCount)}</Fact>}
      <Fact label={texts.accountExpires}>{accountExpiresAt ? <Time>{accountExpiresAt}</Time> : texts.never}</Fact>
      <Fact label={texts.passwordExpires}>
        {credentialsExpireAt ? <Time>{credentialsExpireAt}</Time> : texts.never}
      </Fact>
      <Fact label={texts.created}>
        <Time>{user.createdAt}</Time>
      </Fact>
      <Fact label={texts.id}>
        <code>{user.id}</code>
      </Fact>
    </Facts>
  );
}

function FactorList({ factors: { totp, passkeys = [], recoveryCodes } }: { readonly factors: Factors }) {
  const texts = userTexts();
  const found = [
    ...(totp ? [texts.totp] : []),
    ...(passkeys.length > 0 ? [texts.passkeys(formatNumber(passkeys.length))] : []),
    ...(recoveryCodes ? [texts.recoveryCodes(formatNumber(recoveryCodes.remaining))] : []),
  ];
  return <>{found.join(', ') || texts.noFactors}</>;
}
