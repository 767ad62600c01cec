import { authorizationTexts } from '../authorization/texts.ts';
import { ActError } from '../ui/act.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { AccountLine } from './account.tsx';
import { ScopeList } from './scope-list.tsx';
import type { StepScreenProps } from './step-props.ts';

/** Asks whether the application may get what it asks for. */
export function ConsentScreen({
  application,
  decide,
  onOther,
  scopes,
}: StepScreenProps & { readonly scopes: readonly string[] }) {
  const { options } = useService();
  const texts = authorizationTexts();
  return (
    <CardPage title={texts.consentTitle}>
      <AccountLine />
      <ScopeList name={application.name} text={texts.consentText} scopes={scopes} />
      {options.profile === 'A' && <p class="hint">{texts.consentEnd}</p>}
      <ActError act={decide} />
      <p class="actions">
        <button class="primary" aria-disabled={decide.isBusy} onClick={() => decide.run('ALLOW')}>
          {texts.allow}
        </button>
        <button aria-disabled={decide.isBusy} onClick={() => decide.run('DENY')}>
          {texts.deny}
        </button>
      </p>
      <div class="choices">
        <button class="quiet" onClick={onOther}>
          {texts.otherAccount}
        </button>
      </div>
    </CardPage>
  );
}
