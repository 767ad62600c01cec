import { useState } from 'preact/hooks';
import { issueApiKey, listApiKeys, revokeApiKey, type ApiKey } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
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
  );
  const texts = serviceAccountTexts();
  const revoke = useAct(async ({ keyId, label }: ApiKey) => {
    const question = { title: texts.revokeTitle(label), text: texts.revokeText, action: texts.revokeAct };
    if (!(await confirm(question))) return;
    await revokeApiKey(session, { path: { id: accountId, keyId } });
    notify(texts.revokedNotice);
    query.reload();
  });
  const columns: readonly Column<ApiKey>[] = [
    { title: texts.label, cell: ({ label }) => <Name>{label}</Name> },
    { title: texts.prefix, cell: ({ prefix }) => <code>{prefix} …</code> },
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Time>{lastUsedAt}</Time> : texts.never) },
    { title: texts.expires, cell: ({ expiresAt }) => (expiresAt ? <Time>{expiresAt}</Time> : texts.noExpiry) },
    {
      title: texts.actions,
      isAct: true,
      cell: (key) => (
        <button class="danger" aria-disabled={revoke.isBusy} onClick={() => revoke.run(key)}>
          {texts.revoke}
        </button>
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
      <ActError act={revoke} />
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <p class="quiet-text">{texts.noApiKeys}</p>
          ) : (
            <Table caption={texts.apiKeys} columns={columns} items={keys} keyOf={({ keyId }) => keyId} />
          )
        }
      </QueryView>
      {isIssuing && <IssueKey accountId={accountId} onChange={query.reload} onClose={() => setIssuing(false)} />}
    </section>
  );
}

interface IssueKeyProps {
  readonly accountId: string;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

function IssueKey({ accountId, onChange, onClose }: IssueKeyProps) {
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
      onSubmit={async ({ label = '', expiresAt }) => {
        const body = { label, ...expiryOf(expiresAt) };
        setApiKey((await issueApiKey(session, { path: { id: accountId }, body })).data.apiKey);
        onChange();
      }}
    >
      <Field name="label" label={texts.label} hint={texts.labelHint} required maxLength={100} autofocus />
      <ExpiryField />
    </FormDialog>
  );
}
