// The results of several invitations: who was invited, with the state of the mail or the link, and who was refused why.
import { listUsers, type InvitationResult } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { consoleTexts } from '../texts.ts';
import { textOfInvitationError } from './invitation-errors.ts';
import { invitationTexts } from './invitation-texts.ts';
import { MailStatus, useMailRefresh, type MailState } from './mail-state.tsx';
import { mailTexts } from './mail-texts.ts';
import { userTexts } from './texts.ts';

interface InvitationResultsProps {
  readonly results: readonly InvitationResult[];
  readonly onClose: () => void;
}

/** As many users as one request can invite. */
const MOST = 100;

export function InvitationResults({ results, onClose }: InvitationResultsProps) {
  const texts = userTexts();
  const invitation = invitationTexts();
  const mail = mailTexts();
  const states = useMailStates(results);
  const refused = results.filter(({ error }) => error !== undefined);
  const hasLinks = results.some(({ link }) => link !== undefined);
  return (
    <Dialog title={invitation.results} onClose={onClose}>
      <p>{invitation.invitedCount(formatNumber(results.length - refused.length), formatNumber(refused.length))}</p>
      {hasLinks && <p>{mail.linksShown}</p>}
      <Table
        caption={invitation.results}
        items={results}
        keyOf={({ username }) => username}
        columns={[
          {
            title: texts.username,
            cell: ({ username, link }) => (
              <>
                <Name>{username}</Name>
                {link !== undefined && (
                  <>
                    <code class="secret">{link}</code>
                    <CopyButton text={link} of={mail.copyLinkOf(username)} />
                  </>
                )}
              </>
            ),
          },
          {
            title: texts.state,
            cell: ({ user, error }) =>
              error === undefined ? (
                <MailStatus state={states.get(user!.id) ?? 'QUEUED'} remedy={mail.invitationRemedy} />
              ) : (
                <Status kind="bad">{textOfInvitationError(error)}</Status>
              ),
          },
        ]}
      />
      <p class="actions">
        <button class="primary" onClick={onClose}>
          {consoleTexts().done}
        </button>
      </p>
    </Dialog>
  );
}

/** Returns the states of the mails by the ids of their users, at first those of the results. They are loaded again while a mail is queued. */
function useMailStates(results: readonly InvitationResult[]): ReadonlyMap<string, MailState> {
  const { session } = useService();
  const invited = results.flatMap(({ user }) => user ?? []);
  const { tenantId } = invited[0] ?? {};
  const query = useQuery(
    async (signal) =>
      tenantId === undefined
        ? []
        : (await listUsers(session, { query: { tenantId, state: 'INVITED', perPage: MOST } }, { signal })).data,
    [tenantId],
  );
  const states = new Map(
    [...invited, ...(query.data ?? [])].flatMap(({ id, invitationMail }) =>
      invitationMail ? [[id, invitationMail] as const] : [],
    ),
  );
  useMailRefresh(
    invited.some(({ id }) => states.get(id) === 'QUEUED'),
    query.reload,
  );
  return states;
}
