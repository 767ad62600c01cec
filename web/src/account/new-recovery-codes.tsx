import { RecoveryCodeList } from '../ui/recovery-code-list.tsx';
import { AccountScreen } from './account-screen.tsx';
import { accountTexts } from './texts.ts';

interface NewRecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onSaved: () => void;
}

/** Takes the place of a screen until the user has saved the codes: they are not shown again. */
export function NewRecoveryCodes({ codes, onSaved }: NewRecoveryCodesProps) {
  return (
    <AccountScreen title={accountTexts().newCodesTitle}>
      <div class="panel readable">
        <RecoveryCodeList codes={codes} onSaved={onSaved} />
      </div>
    </AccountScreen>
  );
}
