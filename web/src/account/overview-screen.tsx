import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { getMyAccount, getMyFactors, type OwnAccount } from '../../../client/src/operations.ts';
import { formatDateTime } from '../format.ts';
import { useQuery } from '../query.ts';
import { Fact, Facts } from '../ui/facts.tsx';
import { useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AccountScreen } from './account-screen.tsx';
import { FactorList } from './factor-list.tsx';
import { NewRecoveryCodes } from './new-recovery-codes.tsx';
import { OwnEmail } from './own-email.tsx';
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
              <AccountFacts account={account} />
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

function AccountFacts({ account }: { readonly account: OwnAccount }) {
  const texts = accountTexts();
  const { name, username, tenantName, createdAt, accountExpiresAt } = account;
  return (
    <Facts>
      <Fact label={texts.name}>
        <Name>{name}</Name>
      </Fact>
      <Fact label={texts.username}>
        <Name>{username}</Name>
      </Fact>
      <Fact label={texts.email}>
        <OwnEmail account={account} />
      </Fact>
      {tenantName !== undefined && (
        <Fact label={texts.tenant}>
          <Name>{tenantName}</Name>
        </Fact>
      )}
      <Fact label={texts.createdAt}>{formatDateTime(createdAt)}</Fact>
      {accountExpiresAt !== undefined && <Fact label={texts.expiresAt}>{formatDateTime(accountExpiresAt)}</Fact>}
    </Facts>
  );
}
