import { Link } from 'wouter-preact';
import type { ExplainCredentialResponse } from '../../../../client/src/operations.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { lazyPart } from '../lazy.tsx';
import { TenantName } from '../tenant-name.tsx';
import { AccountName, ExplainedAccountContext, useExplainedAccount } from './account.tsx';
import { ApplicationName, Finding } from './finding.tsx';
import { explainTexts } from './texts.ts';

const CheckActs = lazyPart(async () => (await import('./check-acts.tsx')).CheckActs);

/** The verdict, the account and each check. */
export function Explanation({ result }: { readonly result: ExplainCredentialResponse }) {
  const { accepted, checks, accountId, tenantId, clientId, grantId } = result;
  const { holds, linkTo } = useConsole();
  const account = useExplainedAccount(result);
  const texts = explainTexts();
  const failed = checks.find(({ passed }) => !passed);
  return (
    <ExplainedAccountContext.Provider value={account}>
      <section class="record">
        <h2>
          <Status kind={accepted ? 'good' : 'bad'}>{accepted ? texts.accepted : texts.refused}</Status>
        </h2>
        {failed && (
          <p>
            {texts.because(texts[failed.kind])} <Finding check={failed} />
          </p>
        )}
        {failed && account?.user && (
          <p class="actions">
            <Link class="button primary" href={linkTo(`${account.path}/login`)}>
              {texts.help}
            </Link>
          </p>
        )}
        {accountId !== undefined && (
          <Facts>
            <Fact label={texts.account}>
              <AccountName id={accountId} />{' '}
              {holds('READ_AUDIT') && (
                <Link href={`/audit?${new URLSearchParams({ ...(tenantId && { tenantId }), account: accountId })}`}>
                  {texts.history}
                </Link>
              )}{' '}
              <code class="quiet-text">{accountId}</code>
            </Fact>
            <Fact label={texts.tenant}>
              <TenantName id={tenantId} />
            </Fact>
            {clientId !== undefined && (
              <Fact label={texts.application}>
                <ApplicationName clientId={clientId} name={clientId} />
              </Fact>
            )}
            {grantId !== undefined && (
              <Fact label={texts.grant}>
                <code>{grantId}</code>
              </Fact>
            )}
          </Facts>
        )}
        <Table
          caption={texts.checks}
          items={checks}
          keyOf={({ kind, code }) => `${kind} ${code}`}
          columns={[
            { title: texts.check, cell: ({ kind }) => texts[kind] },
            {
              title: texts.result,
              cell: ({ passed }) => (
                <Status kind={passed ? 'good' : 'bad'}>{passed ? texts.passed : texts.failed}</Status>
              ),
            },
            {
              title: texts.finding,
              cell: (check) => (
                <div>
                  <Finding check={check} />
                  {!check.passed && <CheckActs check={check} account={account} />}
                </div>
              ),
            },
            { title: texts.time, cell: ({ at }) => <Time hasZone>{at}</Time> },
          ]}
        />
      </section>
    </ExplainedAccountContext.Provider>
  );
}
