import { authorizationTexts, scopeTexts } from '../authorization/texts.ts';
import { ActError } from '../ui/act.tsx';
import { CardPage } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { AccountLine } from './account.tsx';
import type { StepScreenProps } from './continuation.tsx';
import { OtherChoices } from './other-choices.tsx';

/** Asks whether the application may get what it asks for. */
export function ConsentScreen({ scopes, ...props }: StepScreenProps & { readonly scopes: readonly string[] }) {
  const { application, decide } = props;
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
      <p class="hint">{texts.consentEnd}</p>
      <ActError act={decide} />
      <p class="actions">
        <button class="primary" aria-disabled={decide.isBusy} onClick={() => decide.run('ALLOW')}>
          {texts.allow}
        </button>
        <button aria-disabled={decide.isBusy} onClick={() => decide.run('DENY')}>
          {texts.deny}
        </button>
      </p>
      <OtherChoices {...props} canDeny />
    </CardPage>
  );
}
