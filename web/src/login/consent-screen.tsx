import { authorizationTexts, scopeTexts } from '../authorization/texts.ts';
import { ActError } from '../ui/act.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { AccountLine } from './account.tsx';
import type { StepScreenProps } from './step-props.ts';

interface ConsentScreenProps extends StepScreenProps {
  readonly scopes: readonly string[];
}

/** Asks whether the application may get what it asks for. */
export function ConsentScreen({ application, decide, onOther, scopes }: ConsentScreenProps) {
  const { options } = useService();
  const texts = authorizationTexts();
  const sentences = scopeTexts() as Readonly<Record<string, string>>;
  // Without the scope openid, too, an application learns whose access it has.
  const others = scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access');
  return (
    <CardPage title={texts.consentTitle}>
      <AccountLine />
      <div>
        <p>
          <Name>{application.name}</Name> {texts.consentText}
        </p>
        <ul class="scopes">
          {['openid', ...others].map((scope) => (
            <li key={scope}>{sentences[scope] ?? <code>{scope}</code>}</li>
          ))}
        </ul>
      </div>
      {scopes.includes('offline_access') && <p class="alert warning">{texts.offline}</p>}
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
