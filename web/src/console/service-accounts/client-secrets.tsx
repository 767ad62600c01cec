import { useState } from 'preact/hooks';
import type { ClientSecret } from '../../../../client/src/operations.ts';
import { changed, type Topic } from '../../changes.ts';
import { formatDateTime, formatNumber } from '../../format.ts';
import { ActButton } from '../act-button.tsx';
import { ReasonField, reasonOf, type Reason } from '../reason.tsx';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ExpiryField, expiryOf } from './expiry-field.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { serviceAccountTexts } from './texts.ts';

/** What an act on a secret says beside it. */
interface SecretChange extends Reason {
  readonly expiresAt?: string;
}

interface ClientSecretsProps {
  readonly secrets: readonly ClientSecret[];
  /** Creates a secret and returns its value. */
  readonly create: (body: SecretChange) => Promise<string>;
  /** Ends a secret, at a time or now. */
  readonly expire: (secretId: string, body: SecretChange) => Promise<unknown>;
  readonly changes: readonly Topic[];
  readonly canChange?: boolean;
  /** Returns how to use a secret, for beside it. */
  readonly usageOf?: (secret: string) => string;
  /** Texts of another owner than a service account. */
  readonly texts?: Pick<ReturnType<typeof serviceAccountTexts>, 'noSecrets' | 'expireText' | 'shownOnce'>;
}

/** Of one owner at a time. */
const MAX_SECRETS = 2;
const HOUR_MS = 3_600_000;
/** When an old secret can end after a new one was created. 0 is now. */
const HOURS = [1, 4, 24, 72, 0];

const inHours = (hours: number): SecretChange =>
  hours === 0 ? {} : { expiresAt: new Date(Date.now() + hours * HOUR_MS).toISOString() };

/** The secrets that have not expired. */
export function ClientSecrets(props: ClientSecretsProps) {
  const { secrets, expire, changes, canChange = true } = props;
  const [isCreating, setCreating] = useState(false);
  const texts = { ...serviceAccountTexts(), ...props.texts };
  const hours = HOURS.map(
    (count) => [String(count), count === 0 ? texts.now : texts.inHours(formatNumber(count))] as const,
  );
  const columns: readonly Column<ClientSecret>[] = [
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Time>{lastUsedAt}</Time> : texts.never) },
    { title: texts.expires, cell: ({ expiresAt }) => (expiresAt ? <Time>{expiresAt}</Time> : texts.noExpiry) },
    { title: texts.id, cell: ({ id }) => <code>{id}</code> },
  ];
  const act: Column<ClientSecret> = {
    title: texts.actions,
    isAct: true,
    cell: ({ id, createdAt }) => (
      <ActButton
        label={texts.expire}
        isDanger
        question={{
          title: texts.expireTitle,
          text: texts.expireText(formatDateTime(createdAt)),
          action: texts.expireAct,
          fields: <ChoiceField name="hours" label={texts.ends} value="0" options={hours} />,
          hasReason: true,
        }}
        changes={changes}
        run={async (values) => {
          await expire(id, { ...inHours(Number(values['hours'])), ...reasonOf(values) });
          return texts.expiredNotice;
        }}
      />
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
        <CreateSecret {...props} text={texts.shownOnce} hours={hours} onClose={() => setCreating(false)} />
      )}
    </section>
  );
}

interface CreateSecretProps extends ClientSecretsProps {
  readonly text: string;
  readonly hours: readonly (readonly [value: string, text: string])[];
  readonly onClose: () => void;
}

/** Creates a secret, and ends the one before it in the same step. */
function CreateSecret({ secrets, text, hours, create, expire, changes, usageOf, onClose }: CreateSecretProps) {
  const [secret, setSecret] = useState<string>();
  const texts = serviceAccountTexts();
  const [old] = secrets;
  if (secret !== undefined)
    return (
      <SecretDialog title={texts.secret} text={text} secret={secret} usage={usageOf?.(secret)} onClose={onClose} />
    );
  return (
    <FormDialog
      title={texts.createSecret}
      action={texts.createSecret}
      onClose={onClose}
      onSubmit={async (values) => {
        const reason = reasonOf(values);
        const value = await create({ ...expiryOf(values['expiresAt']), ...reason });
        // The new one is shown, whatever becomes of the old one: the list says when that ends.
        setSecret(value);
        try {
          if (old && values['hours']) await expire(old.id, { ...inHours(Number(values['hours'])), ...reason });
        } finally {
          changed(changes);
        }
      }}
    >
      <ExpiryField />
      {old && (
        <ChoiceField
          name="hours"
          label={texts.endOld}
          hint={texts.endOldHint(formatDateTime(old.createdAt))}
          value=""
          options={[['', texts.keepOld], ...hours]}
        />
      )}
      <ReasonField />
    </FormDialog>
  );
}
