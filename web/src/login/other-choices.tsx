import { authorizationTexts } from '../authorization/texts.ts';
import { TextWithName } from '../ui/name.tsx';
import type { StepScreenProps } from './step-props.ts';

/** What screens of a continuation offer beside their own acts: another account, and the way back. The application learns of a refusal. */
export function OtherChoices({ application, decide, onOther }: StepScreenProps) {
  const texts = authorizationTexts();
  return (
    <>
      <button type="button" class="quiet" onClick={onOther}>
        {texts.otherAccount}
      </button>
      <button type="button" class="quiet" aria-disabled={decide.isBusy} onClick={() => decide.run('DENY')}>
        <TextWithName text={texts.backTo} name={application.name} />
      </button>
    </>
  );
}
