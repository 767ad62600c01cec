import { Link } from 'wouter-preact';
import { createMyRecoveryCodes, deleteMyTotp, type Factors } from '../../../client/src/operations.ts';
import { formatDateTime, formatNumber } from '../format.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { confirm } from '../ui/confirm.tsx';
import { useService } from '../ui/frame.tsx';
import { notify } from '../ui/notices.tsx';
import { explainRemoval, isLast, Times, type FactorListProps } from './factor.tsx';
import { PasskeyList } from './passkey-list.tsx';
import { factorListTexts } from './factor-texts.ts';

/** Below this number, users should create new codes. */
const FEW_CODES = 3;

/** The second factors of the account. */
export function FactorList(props: FactorListProps) {
  const { factors } = props;
  const texts = factorListTexts();
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p class="quiet-text">
        {factors.required ? texts.required : texts.optional} {texts.endsOthers}
      </p>
      <ul class="rows">
        <Totp {...props} />
        <PasskeyList {...props} />
        {factors.recoveryCodes && <RecoveryCodes {...props} codes={factors.recoveryCodes} />}
      </ul>
    </section>
  );
}

function Totp({ factors, onChange }: FactorListProps) {
  const { session } = useService();
  const texts = factorListTexts();
  const { totp, required } = factors;
  const remove = useAct(async () => {
    const text = isLast(factors) ? texts.removeLastText : texts.removeTotpText;
    if (!(await confirm({ title: texts.removeTotp, text, action: texts.remove }))) return;
    await deleteMyTotp(session).catch(explainRemoval);
    notify(texts.totpRemoved);
    onChange();
  });
  return (
    <li>
      <div>
        <h3>{texts.totp}</h3>
        <p class="quiet-text">
          {totp ? <Times createdAt={totp.createdAt} lastUsedAt={totp.lastUsedAt} /> : texts.totpNote}
        </p>
      </div>
      <div class="actions">
        <Link class="button" href="/totp">
          {totp ? texts.replaceTotp : texts.setUpTotp}
        </Link>
        {totp && !(required && isLast(factors)) && (
          <button class="danger" aria-disabled={remove.isBusy} onClick={() => remove.run()}>
            {texts.removeTotp}
          </button>
        )}
      </div>
      <ActError act={remove} />
      {totp && required && isLast(factors) && <p class="hint">{texts.lastRequired}</p>}
    </li>
  );
}

function RecoveryCodes({ codes, onCodes, onChange }: FactorListProps & { readonly codes: Codes }) {
  const { session } = useService();
  const texts = factorListTexts();
  const create = useAct(async () => {
    const question = { title: texts.newCodes, text: texts.newCodesText, action: texts.createCodes };
    if (!(await confirm(question))) return;
    const { data } = await createMyRecoveryCodes(session);
    onCodes(data.recoveryCodes);
    onChange();
  });
  const { remaining, createdAt } = codes;
  return (
    <li>
      <div>
        <h3>{texts.recoveryCodes}</h3>
        <p class="quiet-text">
          {texts.codesLeft(formatNumber(remaining))} · {texts.created(formatDateTime(createdAt))}
        </p>
      </div>
      <div class="actions">
        <button aria-disabled={create.isBusy} onClick={() => create.run()}>
          {texts.newCodes}
        </button>
      </div>
      {remaining < FEW_CODES && <Alert kind="warning">{texts.fewCodes}</Alert>}
      <ActError act={create} />
    </li>
  );
}

type Codes = NonNullable<Factors['recoveryCodes']>;
