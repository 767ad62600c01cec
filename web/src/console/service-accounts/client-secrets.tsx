import { useState } from 'preact/hooks';
import {
  createClientSecret,
  expireClientSecret,
  type ClientSecret,
  type ServiceAccount,
} from '../../../../client/src/operations.ts';
import { formatDateTime } from '../../format.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ExpiryField, expiryOf } from './expiry-field.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { serviceAccountTexts } from './texts.ts';

interface ClientSecretsProps {
  readonly account: ServiceAccount;
  readonly onChange: () => void;
}

/** The secrets that have not expired. */
export function ClientSecrets({ account, onChange }: ClientSecretsProps) {
  const { session } = useService();
  const [isCreating, setCreating] = useState(false);
  const texts = serviceAccountTexts();
  const expire = useAct(async ({ id: secretId, createdAt }: ClientSecret) => {
    const text = texts.expireText(formatDateTime(createdAt));
    if (!(await confirm({ title: texts.expireTitle, text, action: texts.expireAct }))) return;
    await expireClientSecret(session, { path: { id: account.id, secretId }, body: {} });
    notify(texts.expiredNotice);
    onChange();
  });
  const columns: readonly Column<ClientSecret>[] = [
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Time>{lastUsedAt}</Time> : texts.never) },
    { title: texts.expires, cell: ({ expiresAt }) => (expiresAt ? <Time>{expiresAt}</Time> : texts.noExpiry) },
    { title: texts.id, cell: ({ id }) => <code>{id}</code> },
    {
      title: texts.actions,
      isAct: true,
      cell: (secret) => (
        <button class="danger" aria-disabled={expire.isBusy} onClick={() => expire.run(secret)}>
          {texts.expire}
        </button>
      ),
    },
  ];
  return (
    <section class="part">
      <div class="title">
        <h2>{texts.secrets}</h2>
        <button onClick={() => setCreating(true)}>{texts.createSecret}</button>
      </div>
      <ActError act={expire} />
      {account.secrets.length === 0 ? (
        <p class="quiet-text">{texts.noSecrets}</p>
      ) : (
        <Table caption={texts.secrets} columns={columns} items={account.secrets} keyOf={({ id }) => id} />
      )}
      {isCreating && <CreateSecret accountId={account.id} onChange={onChange} onClose={() => setCreating(false)} />}
    </section>
  );
}

interface CreateSecretProps {
  readonly accountId: string;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

function CreateSecret({ accountId, onChange, onClose }: CreateSecretProps) {
  const { session } = useService();
  const [secret, setSecret] = useState<string>();
  const texts = serviceAccountTexts();
  if (secret !== undefined)
    return <SecretDialog title={texts.secret} text={texts.shownOnce} secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={texts.createSecret}
      action={texts.createSecret}
      onClose={onClose}
      onSubmit={async ({ expiresAt }) => {
        const { data } = await createClientSecret(session, { path: { id: accountId }, body: expiryOf(expiresAt) });
        setSecret(data.clientSecret);
        onChange();
      }}
    >
      <ExpiryField />
    </FormDialog>
  );
}
