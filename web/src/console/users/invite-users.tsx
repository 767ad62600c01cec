// Several invitations at once, from lines or a CSV file.
import { useRef, useState } from 'preact/hooks';
import { inviteUsers, type InvitationResult } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { PageError } from '../../errors.ts';
import { formatNumber } from '../../format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { consoleTexts } from '../texts.ts';
import { useConsole } from '../context.ts';
import { TenantField } from '../tenant-field.tsx';
import { invitationTexts } from './invitation-texts.ts';
import { parseInvitations } from './parse-invitations.ts';
import { SUPER_ADMIN } from './role-names.ts';
import { RoleFields, rolesOf } from './roles.tsx';
import { userTexts } from './texts.ts';

/** Users of one request. */
const MOST = 100;

interface InviteUsersProps {
  readonly roleNames: readonly string[];
  /** Roles that are chosen at first. */
  readonly roles?: readonly string[];
  readonly onClose: () => void;
}

export function InviteUsers({ roleNames, roles = [], onClose }: InviteUsersProps) {
  const { session } = useService();
  const { choosesTenant, tenantId: own } = useConsole();
  const [results, setResults] = useState<readonly InvitationResult[]>();
  const form = useRef<HTMLDivElement>(null);
  const texts = userTexts();
  const invitation = invitationTexts();
  const names = roleNames.filter((name) => name !== SUPER_ADMIN);
  if (results) return <Results results={results} onClose={onClose} />;

  const fill = async (file: File | undefined) => {
    const area = form.current?.querySelector('textarea');
    if (file && area) area.value = await file.text();
  };
  return (
    <FormDialog
      title={texts.inviteSeveral}
      action={invitation.invitations}
      onClose={onClose}
      fieldOf={(error) => (error instanceof PageError ? 'lines' : undefined)}
      onSubmit={async (values) => {
        const users = parseInvitations(values['lines'] ?? '', rolesOf(values));
        if (users.length === 0 || users.length > MOST) throw new PageError(invitation.linesCount(formatNumber(MOST)));
        if (users.some((user) => user.roles.length === 0)) throw new PageError(texts.noRole);
        const tenantId = choosesTenant ? values['tenantId'] || undefined : own;
        if (tenantId === undefined) throw new PageError(invitation.tenantMissing);
        const { data } = await inviteUsers(session, { body: { tenantId, users } });
        changed(['users']);
        setResults(data);
      }}
    >
      <div ref={form}>
        <TextArea
          name="lines"
          label={invitation.lines}
          hint={invitation.linesHint}
          placeholder={invitation.linesExample}
          value=""
          required
          maxLength={100_000}
        />
      </div>
      <div class="field">
        <label for="invitations-file">{invitation.file}</label>
        <input
          id="invitations-file"
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          onChange={({ currentTarget }) => void fill(currentTarget.files?.[0])}
        />
      </div>
      {choosesTenant && <TenantField />}
      <RoleFields legend={texts.roles} names={names} held={roles.filter((role) => names.includes(role))} />
    </FormDialog>
  );
}

/** Who was invited, and who was refused why. */
function Results({
  results,
  onClose,
}: {
  readonly results: readonly InvitationResult[];
  readonly onClose: () => void;
}) {
  const texts = userTexts();
  const invitation = invitationTexts();
  const refused = results.filter(({ error }) => error !== undefined);
  return (
    <Dialog title={invitation.results} onClose={onClose}>
      <p>{invitation.invitedCount(formatNumber(results.length - refused.length), formatNumber(refused.length))}</p>
      <Table
        caption={invitation.results}
        items={results}
        keyOf={({ username }) => username}
        columns={[
          { title: texts.username, cell: ({ username }) => <Name>{username}</Name> },
          {
            title: texts.state,
            cell: ({ error }) =>
              error === undefined ? (
                <Status kind="good">{invitation.mailQueued}</Status>
              ) : (
                <Status kind="bad">
                  {error.errorCode === 'conflict' ? invitation.takenShort : invitation.refused(error.detail)}
                </Status>
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
