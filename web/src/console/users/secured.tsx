import type { SecureUserResponse, User } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';
import { consoleTexts } from '../texts.ts';
import { securedTexts } from './secured-texts.ts';
import { userTexts } from './texts.ts';

interface SecuredProps {
  readonly user: User;
  readonly result: SecureUserResponse;
  readonly onClose: () => void;
}

/** What has ended with the account, and what to look at next. */
export function Secured({ user, result, onClose }: SecuredProps) {
  const texts = securedTexts();
  const { factors, networks, temporaryPassword } = result;
  const counts = [
    [texts.endedSessions, result.sessions],
    [texts.endedGrants, result.grants],
    [texts.voidMails, result.mails],
    [texts.voidChallenges, result.challenges],
    [texts.voidCodes, result.recoveryCodes],
  ] as const;
  return (
    <Dialog title={texts.secured} onClose={onClose}>
      <p>{texts.securedText}</p>
      {temporaryPassword === undefined ? (
        user.invitationExpiresAt === undefined && <p>{texts.mailSent}</p>
      ) : (
        <>
          <p>{texts.temporaryPasswordOf}</p>
          <p class="secret">
            <code>{temporaryPassword}</code> <CopyButton text={temporaryPassword} />
          </p>
        </>
      )}
      <Facts>
        {counts.map(([label, count]) => (
          <Fact key={label} label={label}>
            {formatNumber(count)}
          </Fact>
        ))}
        {networks.length > 0 && <Fact label={texts.newNetworks}>{networks.join(', ')}</Fact>}
        {factors.length > 0 && (
          <Fact label={texts.newFactors}>
            <ul class="lines">
              {factors.map(({ id, createdAt }) => (
                <li key={id}>
                  {id === 'totp' ? userTexts().totp : userTexts().passkey} · <Time>{createdAt}</Time>
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </Facts>
      {factors.length > 0 && <p>{texts.newFactorsText}</p>}
      <p class="actions">
        <button class="primary" onClick={onClose}>
          {consoleTexts().done}
        </button>
      </p>
    </Dialog>
  );
}
