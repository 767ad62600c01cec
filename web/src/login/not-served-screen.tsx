import { authorizationTexts } from '../authorization/texts.ts';
import { ActError } from '../ui/act.tsx';
import { CardPage } from '../ui/frame.tsx';
import { AccountLine } from './account.tsx';
import { CancelButton } from './other-choices.tsx';
import type { StepScreenProps } from './step-props.ts';

/** The application does not serve the account. Another one can go on with the same request. */
export function NotServedScreen({ application, decide, onOther }: StepScreenProps) {
  const texts = authorizationTexts();
  return (
    <CardPage title={texts.notServedTitle}>
      <AccountLine />
      <p>{texts.notServedText}</p>
      <ActError act={decide} />
      <button class="primary" onClick={onOther}>
        {texts.otherAccount}
      </button>
      <div class="choices">
        <CancelButton {...{ application, decide }} />
      </div>
    </CardPage>
  );
}
