import { Link } from 'wouter-preact';
import type { ExplainCredentialResponse } from '../../../../client/src/operations.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { explainTexts } from './texts.ts';

/** The verdict, the account and each check. */
export function Explanation({ result }: { readonly result: ExplainCredentialResponse }) {
  const { accepted, checks, accountId, tenantId, clientId, grantId } = result;
  const { holds } = useConsole();
  const texts = explainTexts();
  const failed = checks.find(({ passed }) => !passed);
  return (
    <section class="record">
      <h2>
        <Status kind={accepted ? 'good' : 'bad'}>{accepted ? texts.accepted : texts.refused}</Status>
      </h2>
      {failed && <p>{texts.because(texts[failed.kind])}</p>}
      {accountId !== undefined && (
        <Facts>
          <Fact label={texts.account}>
            <code>{accountId}</code>{' '}
            {holds('READ_AUDIT') && (
              <Link href={`/audit?${new URLSearchParams({ ...(tenantId && { tenantId }), accountId })}`}>
                {texts.history}
              </Link>
            )}
          </Fact>
          <Fact label={texts.tenant}>
            <code>{tenantId ?? '–'}</code>
          </Fact>
          {clientId !== undefined && (
            <Fact label={texts.application}>
              {holds('MANAGE_APPLICATIONS') ? (
                <Link href={`/applications?${new URLSearchParams({ q: clientId })}`}>{clientId}</Link>
              ) : (
                <code>{clientId}</code>
              )}
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
        keyOf={({ kind, detail }) => `${kind} ${detail}`}
        columns={[
          { title: texts.check, cell: ({ kind }) => texts[kind] },
          {
            title: texts.result,
            cell: ({ passed }) => (
              <Status kind={passed ? 'good' : 'bad'}>{passed ? texts.passed : texts.failed}</Status>
            ),
          },
          { title: texts.finding, cell: ({ detail }) => <bdi lang="en">{detail}</bdi> },
          { title: texts.time, cell: ({ at }) => <Time>{at}</Time> },
        ]}
      />
    </section>
  );
}
