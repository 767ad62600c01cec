import { useState } from 'preact/hooks';
import { requestEmailChange, type OwnAccount } from '../../../client/src/operations.ts';
import { formatNumber } from '../format.ts';
import { commonTexts } from '../texts/common.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { useSecondsUntilResend } from '../ui/resend-pause.ts';
import { ownEmailTexts } from './email-texts.ts';
import { readSentEmail, storeSentEmail } from './sent-email.ts';

/** The e-mail address of the account. It changes by a link in a mail to the new one. */
export function OwnEmail({ account: { id, email, emailVerified } }: { readonly account: OwnAccount }) {
  const { options, session } = useService();
  const [isChanging, setChanging] = useState(false);
  const [sent, setSent] = useState(() => readSentEmail(id));
  const seconds = useSecondsUntilResend(sent?.sentAt);
  const texts = ownEmailTexts();
  const send = async (address: string) => {
    await requestEmailChange(session, { body: { email: address } });
    const mail = { accountId: id, address, sentAt: Date.now() };
    storeSentEmail(mail);
    setSent(mail);
  };
  const prove = useAct(send);
  const isWaiting = seconds > 0;
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
            <button
              aria-disabled={isWaiting || prove.isBusy}
              aria-describedby="send-again"
              onClick={() => isWaiting || prove.run(email)}
            >
              {texts.prove}
            </button>
          )}
          <button onClick={() => setChanging(true)}>{email === undefined ? texts.add : texts.change}</button>
        </p>
      )}
      <p id="send-again" class="hint">
        {isWaiting && commonTexts().sendAgainIn(formatNumber(seconds))}
      </p>
      <ActError act={prove} />
      {sent !== undefined && !(emailVerified && email === sent.address) && (
        <Alert kind="success">
          <p>
            {texts.sentTo} <Name>{sent.address}</Name>
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
