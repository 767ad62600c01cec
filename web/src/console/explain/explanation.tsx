import { Link } from 'wouter-preact';
import type { ExplainCredentialResponse } from '../../../../client/src/operations.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { TenantName } from '../tenant-name.tsx';
import { findingOf } from './findings.ts';
import { explainTexts } from './texts.ts';

interface ExplanationProps {
  readonly result: ExplainCredentialResponse;
  /** Whether the credential is that of a user. */
  readonly isUser: boolean;
}

function Text({ detail }: { readonly detail: string }) {
  const { text, lang } = findingOf(detail);
  return <bdi lang={lang}>{text}</bdi>;
}

/** The verdict, the account and each check. */
export function Explanation({ result, isUser }: ExplanationProps) {
  const { accepted, checks, accountId, tenantId, clientId, grantId } = result;
  const { canOpen, holds, linkTo } = useConsole();
  const texts = explainTexts();
  const failed = checks.find(({ passed }) => !passed);
  return (
    <section class="record">
      <h2>
        <Status kind={accepted ? 'good' : 'bad'}>{accepted ? texts.accepted : texts.refused}</Status>
      </h2>
      {failed && (
        <p>
          {texts.because(texts[failed.kind])} <Text detail={failed.detail} />
        </p>
      )}
      {failed && isUser && accountId !== undefined && canOpen('/users') && (
        <p class="actions">
          <Link class="button primary" href={linkTo(`/users/${accountId}/login`)}>
            {texts.help}
          </Link>
        </p>
      )}
      {accountId !== undefined && (
        <Facts>
          <Fact label={texts.account}>
            {isUser && canOpen('/users') && <Link href={linkTo(`/users/${accountId}`)}>{texts.show}</Link>}{' '}
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
          { title: texts.finding, cell: ({ detail }) => <Text detail={detail} /> },
          { title: texts.time, cell: ({ at }) => <Time>{at}</Time> },
        ]}
      />
    </section>
  );
}
