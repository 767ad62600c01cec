import { useState } from 'preact/hooks';
import { issueApiKey, listApiKeys, revokeApiKey, type ApiKey } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { useQuery } from '../../query.ts';
import { ActButton } from '../act-button.tsx';
import { ReasonField, reasonOf } from '../reason.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ExpiryField, expiryOf } from './expiry-field.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { serviceAccountTexts } from './texts.ts';

/** Most keys of one page of the API. */
const SHOWN = 100;

/** The newest keys that are not revoked. */
export function ApiKeys({ accountId }: { readonly accountId: string }) {
  const { session, options } = useService();
  const [isIssuing, setIssuing] = useState(false);
  const query = useQuery(
    async (signal) =>
      (await listApiKeys(session, { path: { id: accountId }, query: { perPage: SHOWN } }, { signal })).data,
    [accountId],
    ['service-accounts'],
  );
  const texts = serviceAccountTexts();
  const columns: readonly Column<ApiKey>[] = [
    { title: texts.label, cell: ({ label }) => <Name>{label}</Name> },
    { title: texts.prefix, cell: ({ prefix }) => <code>{prefix} …</code> },
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Time>{lastUsedAt}</Time> : texts.never) },
    { title: texts.expires, cell: ({ expiresAt }) => (expiresAt ? <Time>{expiresAt}</Time> : texts.noExpiry) },
    {
      title: texts.actions,
      isAct: true,
      cell: ({ keyId, label }) => (
        <ActButton
          label={texts.revoke}
          isDanger
          question={{
            title: texts.revokeTitle(label),
            text: texts.revokeText,
            action: texts.revokeAct,
            hasReason: true,
          }}
          changes={['service-accounts']}
          run={async (values) => {
            await revokeApiKey(session, { path: { id: accountId, keyId }, query: reasonOf(values) });
            return texts.revokedNotice;
          }}
        />
      ),
    },
  ];
  return (
    <section class="part">
      <div class="title">
        <h2>{texts.apiKeys}</h2>
        {options.apiKeys && <button onClick={() => setIssuing(true)}>{texts.issueKey}</button>}
      </div>
      {!options.apiKeys && <p class="quiet-text">{texts.keysOff}</p>}
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <p class="quiet-text">{texts.noApiKeys}</p>
          ) : (
            <Table caption={texts.apiKeys} columns={columns} items={keys} keyOf={({ keyId }) => keyId} />
          )
        }
      </QueryView>
      {isIssuing && <IssueKey accountId={accountId} onClose={() => setIssuing(false)} />}
    </section>
  );
}

interface IssueKeyProps {
  readonly accountId: string;
  readonly onClose: () => void;
}

function IssueKey({ accountId, onClose }: IssueKeyProps) {
  const { session } = useService();
  const [apiKey, setApiKey] = useState<string>();
  const texts = serviceAccountTexts();
  if (apiKey !== undefined)
    return <SecretDialog title={texts.apiKey} text={texts.shownOnce} secret={apiKey} onClose={onClose} />;
  return (
    <FormDialog
      title={texts.issueKey}
      action={texts.issueKey}
      onClose={onClose}
      onSubmit={async ({ label = '', expiresAt, ...values }) => {
        const body = { label, ...expiryOf(expiresAt), ...reasonOf(values) };
        setApiKey((await issueApiKey(session, { path: { id: accountId }, body })).data.apiKey);
        changed(['service-accounts']);
      }}
    >
      <Field name="label" label={texts.label} hint={texts.labelHint} required maxLength={100} autofocus />
      <ExpiryField />
      <ReasonField />
    </FormDialog>
  );
}
