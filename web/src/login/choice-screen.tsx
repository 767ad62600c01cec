import { authorizationTexts } from '../authorization/texts.ts';
import { ActError } from '../ui/act.tsx';
import { CardPage } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { useAccount } from './account.tsx';
import { OtherChoices } from './other-choices.tsx';
import type { StepScreenProps } from './step-props.ts';

/** Asks with which account to continue. */
export function ChoiceScreen(props: StepScreenProps) {
  const { decide } = props;
  const account = useAccount();
  const texts = authorizationTexts();
  return (
    <CardPage title={texts.choiceTitle}>
      <ActError act={decide} />
      <QueryView query={account}>
        {({ name, username }) => (
          <>
            <button class="primary wide" aria-disabled={decide.isBusy} onClick={() => decide.run('ALLOW')}>
              {texts.continueAs(name)}
            </button>
            <p class="hint centered">
              <Name>{username}</Name>
            </p>
          </>
        )}
      </QueryView>
      <div class="choices">
        <OtherChoices {...props} />
      </div>
    </CardPage>
  );
}
