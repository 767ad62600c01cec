import { useState } from 'preact/hooks';
import { hasPasskeys } from '../../../client/src/factors.ts';
import { getMyFactors, type Factors } from '../../../client/src/operations.ts';
import { authorizationTexts } from '../authorization/texts.ts';
import { addPasskey } from '../factors/add-passkey.ts';
import { TotpSetUp } from '../factors/totp-set-up.tsx';
import { useQuery } from '../query.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { useFocus } from '../ui/focus.ts';
import { Submit } from '../ui/form.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AccountLine } from './account.tsx';
import { FactorOptions } from './factor-options.tsx';
import { OtherChoices } from './other-choices.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import type { ConfirmationScreenProps } from './step-props.ts';
import { loginTexts } from './texts.ts';

type Method = 'totp' | 'passkey';

/** Offers to add a second factor that the request needs and the account does not have. */
export default function AddFactorScreen(props: ConfirmationScreenProps) {
  const { decision, decide } = props;
  const { session } = useService();
  const factors = useQuery(async (signal) => (await getMyFactors(session, {}, { signal })).data, []);
  const [chosen, choose] = useState<Method>();
  const [codes, setCodes] = useState<readonly string[]>([]);

  function goOn(): void {
    setCodes([]);
    choose(undefined);
    factors.reload();
    decide.run(decision);
  }
  const finish = (recoveryCodes: readonly string[] = []) =>
    recoveryCodes.length > 0 ? setCodes(recoveryCodes) : goOn();

  if (codes.length > 0) return <RecoveryCodes codes={codes} onSaved={goOn} />;
  return (
    <CardPage title={authorizationTexts().factorTitle}>
      <AccountLine />
      <ActError act={decide} />
      {chosen === undefined && (
        <QueryView query={factors}>{(data) => <Choice {...props} factors={data} onChoose={choose} />}</QueryView>
      )}
      {chosen === 'totp' && <TotpFactor onDone={finish} />}
      {chosen === 'passkey' && <PasskeyFactor onDone={finish} />}
      <div class="choices">
        {chosen !== undefined && (
          <button class="quiet" onClick={() => choose(undefined)}>
            {loginTexts().otherMethod}
          </button>
        )}
        <OtherChoices {...props} />
      </div>
    </CardPage>
  );
}

interface ChoiceProps extends ConfirmationScreenProps {
  readonly factors: Factors;
  readonly onChoose: (method: Method) => void;
}

/** A factor that the account has already does not suffice. Where the tenant requires none, the application may do without. */
function Choice({ factors: { totp, passkeys = [], required }, decide, onChoose }: ChoiceProps) {
  const { options } = useService();
  const texts = authorizationTexts();
  const offersPasskey = passkeys.length === 0 && options.passkeys && hasPasskeys();
  const methods = [...(totp ? [] : (['totp'] as const)), ...(offersPasskey ? (['passkey'] as const) : [])];
  return (
    <>
      <p>{texts.factorText}</p>
      {methods.length > 0 ? (
        <FactorOptions methods={methods} onChoose={onChoose} />
      ) : (
        <Alert kind="warning">{texts.noFactorHere}</Alert>
      )}
      {!required && (
        <button class="wide" aria-disabled={decide.isBusy} onClick={() => decide.run('ALLOW')}>
          {texts.withoutFactor}
        </button>
      )}
    </>
  );
}

interface FactorProps {
  readonly onDone: (recoveryCodes?: readonly string[]) => void;
}

function TotpFactor({ onDone }: FactorProps) {
  return (
    <TotpSetUp onDone={onDone}>
      <Submit>{authorizationTexts().setUp}</Submit>
    </TotpSetUp>
  );
}

function PasskeyFactor({ onDone }: FactorProps) {
  const { session } = useService();
  const texts = loginTexts();
  const button = useFocus<HTMLButtonElement>();
  const create = useAct(async () => onDone((await addPasskey(session)).recoveryCodes));
  return (
    <>
      <ActError act={create} />
      <p>{texts.createPasskeyText}</p>
      <button ref={button} class="primary" aria-disabled={create.isBusy} onClick={() => create.run()}>
        {texts.createPasskey}
      </button>
    </>
  );
}
