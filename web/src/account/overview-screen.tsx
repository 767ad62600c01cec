import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { getMyAccount, getMyFactors, type OwnAccount } from '../../../client/src/operations.ts';
import { formatDateTime } from '../format.ts';
import { useQuery } from '../query.ts';
import { useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AccountScreen } from './account-screen.tsx';
import { FactorList } from './factor-list.tsx';
import { NewRecoveryCodes } from './new-recovery-codes.tsx';
import { accountTexts } from './texts.ts';

/** The account, and with what it logs in. */
export function OverviewScreen() {
  const { session } = useService();
  const query = useQuery(async (signal) => {
    const [account, factors] = await Promise.all([
      getMyAccount(session, {}, { signal }),
      getMyFactors(session, {}, { signal }),
    ]);
    return { account: account.data, factors: factors.data };
  }, []);
  const [codes, setCodes] = useState<readonly string[]>();
  const texts = accountTexts();
  if (codes) return <NewRecoveryCodes codes={codes} onSaved={() => setCodes(undefined)} />;
  return (
    <AccountScreen title={texts.overview}>
      <QueryView query={query}>
        {({ account, factors }) => (
          <div class="panels">
            <section class="panel">
              <h2>{texts.account}</h2>
              <Facts account={account} />
            </section>
            <section class="panel">
              <h2>{texts.password}</h2>
              <p class="quiet-text">
                {account.credentialsExpireAt === undefined
                  ? texts.passwordText
                  : texts.passwordExpires(formatDateTime(account.credentialsExpireAt))}
              </p>
              <p>
                <Link class="button" href="/password">
                  {texts.changePassword}
                </Link>
              </p>
            </section>
            <FactorList factors={factors} onChange={query.reload} onCodes={setCodes} />
          </div>
        )}
      </QueryView>
    </AccountScreen>
  );
}

function Facts({ account }: { readonly account: OwnAccount }) {
  const texts = accountTexts();
  const { name, username, email, emailVerified, tenantName, createdAt, accountExpiresAt } = account;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    [texts.name, <Name>{name}</Name>],
    [texts.username, <Name>{username}</Name>],
    [texts.email, email === undefined ? texts.noEmail : <Email address={email} isVerified={emailVerified} />],
    ...(tenantName === undefined ? [] : [[texts.tenant, <Name>{tenantName}</Name>] as const]),
    [texts.createdAt, formatDateTime(createdAt)],
    ...(accountExpiresAt === undefined ? [] : [[texts.expiresAt, formatDateTime(accountExpiresAt)] as const]),
  ];
  return (
    <dl class="facts">
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Email({ address, isVerified }: { readonly address: string; readonly isVerified: boolean }) {
  const texts = accountTexts();
  return (
    <>
      <Name>{address}</Name>{' '}
      <span class={isVerified ? 'badge good' : 'badge'}>{isVerified ? texts.verified : texts.notVerified}</span>
    </>
  );
}
