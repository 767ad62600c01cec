import { CardPage } from '../ui/frame.tsx';
import { RecoveryCodeList } from '../ui/recovery-code-list.tsx';
import { loginTexts } from './texts.ts';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onSaved: () => void;
}

/** Shows the codes of a first factor, once. */
export function RecoveryCodes({ codes, onSaved }: RecoveryCodesProps) {
  return (
    <CardPage title={loginTexts().recoveryCodesTitle}>
      <RecoveryCodeList codes={codes} onSaved={onSaved} />
    </CardPage>
  );
}
