import { useState } from 'preact/hooks';
import type { ClientSecret } from '../../../../client/src/operations.ts';
import { formatDateTime } from '../../format.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/notices.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ExpiryField, expiryOf } from './expiry-field.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { serviceAccountTexts } from './texts.ts';

interface ClientSecretsProps {
  readonly secrets: readonly ClientSecret[];
  /** Creates a secret and returns its value. */
  readonly create: (body: ReturnType<typeof expiryOf>) => Promise<string>;
  readonly expire: (secretId: string) => Promise<unknown>;
  readonly onChange: () => void;
  readonly canChange?: boolean;
  /** Texts of another owner than a service account. */
  readonly texts?: Pick<ReturnType<typeof serviceAccountTexts>, 'noSecrets' | 'expireText' | 'shownOnce'>;
}

/** The secrets that have not expired. */
export function ClientSecrets(props: ClientSecretsProps) {
  const { secrets, create, expire: end, onChange, canChange = true } = props;
  const [isCreating, setCreating] = useState(false);
  const texts = { ...serviceAccountTexts(), ...props.texts };
  const expire = useAct(async ({ id: secretId, createdAt }: ClientSecret) => {
    const text = texts.expireText(formatDateTime(createdAt));
    if (!(await confirm({ title: texts.expireTitle, text, action: texts.expireAct }))) return;
    await end(secretId);
    notify(texts.expiredNotice);
    onChange();
  });
  const columns: readonly Column<ClientSecret>[] = [
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Time>{lastUsedAt}</Time> : texts.never) },
    { title: texts.expires, cell: ({ expiresAt }) => (expiresAt ? <Time>{expiresAt}</Time> : texts.noExpiry) },
    { title: texts.id, cell: ({ id }) => <code>{id}</code> },
  ];
  const act: Column<ClientSecret> = {
    title: texts.actions,
    isAct: true,
    cell: (secret) => (
      <button class="danger" aria-disabled={expire.isBusy} onClick={() => expire.run(secret)}>
        {texts.expire}
      </button>
    ),
  };
  return (
    <section class="part">
      <div class="title">
        <h2>{texts.secrets}</h2>
        {canChange && secrets.length < MAX_SECRETS && (
          <button onClick={() => setCreating(true)}>{texts.createSecret}</button>
        )}
      </div>
      <ActError act={expire} />
      {secrets.length === 0 ? (
        <p class="quiet-text">{texts.noSecrets}</p>
      ) : (
        <Table
          caption={texts.secrets}
          columns={canChange ? [...columns, act] : columns}
          items={secrets}
          keyOf={({ id }) => id}
        />
      )}
      {canChange && secrets.length === MAX_SECRETS && <p class="quiet-text">{texts.twoSecrets}</p>}
      {isCreating && (
        <CreateSecret text={texts.shownOnce} create={create} onChange={onChange} onClose={() => setCreating(false)} />
      )}
    </section>
  );
}

/** Of one owner at a time. */
const MAX_SECRETS = 2;

interface CreateSecretProps extends Pick<ClientSecretsProps, 'create' | 'onChange'> {
  readonly text: string;
  readonly onClose: () => void;
}

function CreateSecret({ text, create, onChange, onClose }: CreateSecretProps) {
  const [secret, setSecret] = useState<string>();
  const texts = serviceAccountTexts();
  if (secret !== undefined) return <SecretDialog title={texts.secret} text={text} secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={texts.createSecret}
      action={texts.createSecret}
      onClose={onClose}
      onSubmit={async ({ expiresAt }) => {
        setSecret(await create(expiryOf(expiresAt)));
        onChange();
      }}
    >
      <ExpiryField />
    </FormDialog>
  );
}
