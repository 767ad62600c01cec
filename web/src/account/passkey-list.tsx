import { useState } from 'preact/hooks';
import { hasPasskeys } from '../../../client/src/factors.ts';
import { deleteMyPasskey, updateMyPasskey, type Passkey } from '../../../client/src/operations.ts';
import { addPasskey } from '../factors/add-passkey.ts';
import { commonTexts } from '../texts/common.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { confirm } from '../ui/confirm.tsx';
import { Field } from '../ui/field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { notify } from '../ui/notices.tsx';
import { explainRemoval, isLast, Times, type FactorListProps } from './factor.tsx';
import { factorListTexts } from './factor-texts.ts';

/** The passkeys of the account. A new one is named after this browser, and its name can be changed at once. */
export function PasskeyList(props: FactorListProps) {
  const { factors, onChange, onCodes } = props;
  const { passkeys = [] } = factors;
  const { options, session } = useService();
  const [renamed, rename] = useState<string>();
  const texts = factorListTexts();
  const offersPasskeys = options.passkeys && hasPasskeys();
  const add = useAct(async () => {
    const { passkey, recoveryCodes } = await addPasskey(session);
    if (recoveryCodes) onCodes(recoveryCodes);
    else rename(passkey?.id);
    notify(texts.passkeyAdded);
    onChange();
  });
  if (!options.passkeys && passkeys.length === 0) return null;
  return (
    <>
      <li>
        <div>
          <h3>{texts.passkeys}</h3>
          <p class="quiet-text">{texts.passkeysNote}</p>
        </div>
        {offersPasskeys ? (
          <div class="actions">
            <button aria-disabled={add.isBusy} onClick={() => add.run()}>
              {texts.addPasskey}
            </button>
          </div>
        ) : (
          <p class="hint">{texts.noPasskeys}</p>
        )}
        <ActError act={add} />
        {passkeys.length > 0 && (
          <ul class="rows inner">
            {passkeys.map((passkey) => (
              <Row
                key={passkey.id}
                {...props}
                passkey={passkey}
                isRenamed={passkey.id === renamed}
                onRename={(isWanted) => rename(isWanted ? passkey.id : undefined)}
              />
            ))}
          </ul>
        )}
      </li>
    </>
  );
}

interface RowProps extends FactorListProps {
  readonly passkey: Passkey;
  readonly isRenamed: boolean;
  readonly onRename: (isWanted: boolean) => void;
}

function Row({ factors, passkey, isRenamed, onRename, onChange }: RowProps) {
  const { session } = useService();
  const texts = factorListTexts();
  const { id, label, createdAt, lastUsedAt, backedUp } = passkey;
  const isKept = factors.required && isLast(factors);
  const remove = useAct(async () => {
    const text = isLast(factors) ? texts.removeLastText : texts.removePasskeyText;
    const title = (
      <>
        {texts.removePasskey}: <Name>{label}</Name>
      </>
    );
    if (!(await confirm({ title, text, action: texts.remove }))) return;
    await deleteMyPasskey(session, { path: { passkeyId: id } }).catch(explainRemoval);
    notify(texts.passkeyRemoved);
    onChange();
  });
  return (
    <li>
      <div>
        <h4>
          <Name>{label}</Name>
        </h4>
        <p class="quiet-text">
          <Times createdAt={createdAt} lastUsedAt={lastUsedAt} /> · {backedUp ? texts.backedUp : texts.notBackedUp}
        </p>
      </div>
      {!isRenamed && (
        <div class="actions">
          <button aria-label={texts.renameOf(label)} onClick={() => onRename(true)}>
            {texts.rename}
          </button>
          {!isKept && (
            <button
              class="danger"
              aria-label={texts.removeOf(label)}
              aria-disabled={remove.isBusy}
              onClick={() => remove.run()}
            >
              {texts.remove}
            </button>
          )}
        </div>
      )}
      {isRenamed && <Rename {...{ passkey, onRename, onChange }} />}
      <ActError act={remove} />
      {isKept && <p class="hint">{texts.lastRequired}</p>}
    </li>
  );
}

function Rename({ passkey, onRename, onChange }: Pick<RowProps, 'passkey' | 'onRename' | 'onChange'>) {
  const { session } = useService();
  const texts = factorListTexts();
  return (
    <Form
      label={texts.renameOf(passkey.label)}
      focus="label"
      onSubmit={async ({ label = '' }) => {
        await updateMyPasskey(session, { path: { passkeyId: passkey.id }, body: { label } });
        onRename(false);
        notify(texts.passkeyRenamed);
        onChange();
      }}
    >
      <Field
        name="label"
        label={texts.label}
        hint={texts.labelHint}
        value={passkey.label}
        autocomplete="off"
        maxLength={100}
        required
        autofocus
      />
      <div class="actions">
        <Submit>{texts.save}</Submit>
        <button type="button" onClick={() => onRename(false)}>
          {commonTexts().cancel}
        </button>
      </div>
    </Form>
  );
}
