import { useState } from 'preact/hooks';
import { requestEmailChange, type OwnAccount } from '../../../client/src/operations.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { ownEmailTexts } from './email-texts.ts';

/** The e-mail address of the account. It changes by a link in a mail to the new one. */
export function OwnEmail({ account: { email, emailVerified } }: { readonly account: OwnAccount }) {
  const { options, session } = useService();
  const [isChanging, setChanging] = useState(false);
  const [sentTo, setSentTo] = useState<string>();
  const texts = ownEmailTexts();
  const send = async (address: string) => {
    await requestEmailChange(session, { body: { email: address } });
    setSentTo(address);
  };
  const prove = useAct(send);
  return (
    <div class="own-email">
      {email === undefined ? (
        texts.none
      ) : (
        <p>
          <Name>{email}</Name>{' '}
          <span class={emailVerified ? 'badge good' : 'badge'}>
            {emailVerified ? texts.verified : texts.unverified}
          </span>
        </p>
      )}
      {options.recovery && (
        <p class="actions">
          {email !== undefined && !emailVerified && (
            <button aria-disabled={prove.isBusy} onClick={() => prove.run(email)}>
              {texts.prove}
            </button>
          )}
          <button onClick={() => setChanging(true)}>{email === undefined ? texts.add : texts.change}</button>
        </p>
      )}
      <ActError act={prove} />
      {sentTo !== undefined && (
        <Alert kind="success">
          <p>
            {texts.sentTo} <Name>{sentTo}</Name>
          </p>
          <p>{texts.sentText}</p>
        </Alert>
      )}
      {isChanging && (
        <FormDialog
          title={email === undefined ? texts.add : texts.change}
          action={texts.send}
          onClose={() => setChanging(false)}
          onSubmit={async ({ email: address = '' }) => {
            await send(address);
            setChanging(false);
          }}
        >
          <p>{texts.changeText}</p>
          <Field
            name="email"
            type="email"
            label={texts.newAddress}
            autocomplete="email"
            maxLength={320}
            title={texts.format}
            required
            autofocus
          />
        </FormDialog>
      )}
    </div>
  );
}
