import { authorizationTexts } from '../authorization/texts.ts';
import { ActError } from '../ui/act.tsx';
import { CardPage } from '../ui/frame.tsx';
import { Name, TextWithName } from '../ui/name.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { useAccount } from './account.tsx';
import { OtherChoices } from './other-choices.tsx';
import { ScopeList } from './scope-list.tsx';
import type { StepScreenProps } from './step-props.ts';

/**
 * Asks with which account to continue. That is a consent, too: the service does not say whether the account has given it before.
 */
export function ChoiceScreen(props: StepScreenProps & { readonly scopes: readonly string[] }) {
  const { application, decide, scopes } = props;
  const account = useAccount();
  const texts = authorizationTexts();
  return (
    <CardPage title={texts.choiceTitle}>
      {!application.firstParty && <ScopeList name={application.name} text={texts.choiceText} scopes={scopes} />}
      <ActError act={decide} />
      <QueryView query={account}>
        {({ name, username }) => (
          <>
            <button class="primary wide" aria-disabled={decide.isBusy} onClick={() => decide.run('ALLOW')}>
              <TextWithName text={texts.continueAs} name={name} />
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
