import { authorizationTexts } from '../authorization/texts.ts';
import { CardPage } from '../ui/frame.tsx';
import { TextWithName } from '../ui/name.tsx';
import { AccountLine } from './account.tsx';
import type { StepScreenProps } from './step-props.ts';

/**
 * The application does not serve the account. Another one can go on with the same request. This one cannot even refuse it, so only the home
 * page leads back.
 */
export function NotServedScreen({ application: { name, homeUrl }, onOther }: Omit<StepScreenProps, 'decide'>) {
  const texts = authorizationTexts();
  return (
    <CardPage title={texts.notServedTitle}>
      <AccountLine />
      <p>{texts.notServedText}</p>
      <button class="primary" onClick={onOther}>
        {texts.otherAccount}
      </button>
      {homeUrl !== undefined && (
        <div class="choices">
          <a class="button quiet" href={homeUrl}>
            <TextWithName text={texts.returnTo} name={name} />
          </a>
        </div>
      )}
    </CardPage>
  );
}
