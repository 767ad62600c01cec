import { authorizationTexts } from '../authorization/texts.ts';
import type { StepScreenProps } from './continuation.tsx';

interface OtherChoicesProps extends StepScreenProps {
  /** Whether the screen has a button of its own that refuses the request. */
  readonly canDeny?: boolean;
}

/** What each screen of a continuation offers: another account, and the way back to the application. */
export function OtherChoices({ application, decide, onOther, canDeny = false }: OtherChoicesProps) {
  const texts = authorizationTexts();
  return (
    <div class="choices">
      <button class="quiet" onClick={onOther}>
        {texts.otherAccount}
      </button>
      {!canDeny && (
        <button class="quiet" aria-disabled={decide.isBusy} onClick={() => decide.run('DENY')}>
          {texts.backTo(application.name)}
        </button>
      )}
    </div>
  );
}
