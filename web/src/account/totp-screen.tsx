import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { TotpSetUp } from '../factors/totp-set-up.tsx';
import { commonTexts } from '../texts/common.ts';
import { Submit } from '../ui/form.tsx';
import { notify } from '../ui/notices.tsx';
import { AccountScreen } from './account-screen.tsx';
import { factorListTexts } from './factor-texts.ts';
import { NewRecoveryCodes } from './new-recovery-codes.tsx';

/** Sets up codes of an authenticator app. */
export function TotpScreen() {
  const [, navigate] = useLocation();
  const [codes, setCodes] = useState<readonly string[]>();
  const texts = factorListTexts();

  function finish(recoveryCodes: readonly string[]): void {
    if (recoveryCodes.length > 0) return setCodes(recoveryCodes);
    notify(texts.totpSetUp);
    navigate('/');
  }

  if (codes) return <NewRecoveryCodes codes={codes} onSaved={() => navigate('/')} />;
  return (
    <AccountScreen title={texts.totp}>
      <div class="panel readable">
        <TotpSetUp onDone={finish}>
          <p class="hint">{texts.totpEndsOthers}</p>
          <div class="actions">
            <Submit>{texts.setUpTotp}</Submit>
            <Link class="button" href="/">
              {commonTexts().cancel}
            </Link>
          </div>
        </TotpSetUp>
      </div>
    </AccountScreen>
  );
}
