import { getMe } from '../../../client/src/operations.ts';
import { useQuery } from '../query.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { commonTexts } from '../texts/common.ts';
import { goOn, isReturnHere } from './return.ts';
import { loginTexts } from './texts.ts';

/** The browser has a session. */
export function SignedIn() {
  const { options, session } = useService();
  const logOut = useAct(() => session.logout());
  const texts = loginTexts();
  // Under Profile B, an account has no member `username`.
  const { data: me } = useQuery(async (signal) => (await getMe(session, {}, { signal })).data, [session]);
  const hasReturn = isReturnHere() !== undefined;
  // Without a return, the account is next. Under Profile B, another page would have no session.
  const leads = hasReturn || options.profile === 'A';
  return (
    <CardPage title={texts.loggedIn}>
      <ActError act={logOut} />
      {me && (
        <p>
          {texts.loggedInAs} <Name>{me.username || me.email}</Name>
        </p>
      )}
      <p>{hasReturn ? texts.continueText : texts.loggedInText}</p>
      <p class="actions">
        {leads && (
          <button class="primary" onClick={goOn}>
            {texts.continue}
          </button>
        )}
        <button class={leads ? undefined : 'primary'} aria-disabled={logOut.isBusy} onClick={() => logOut.run()}>
          {commonTexts().logOut}
        </button>
      </p>
    </CardPage>
  );
}
