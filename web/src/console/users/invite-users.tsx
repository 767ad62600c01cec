// Several invitations at once, from lines or a CSV file.
import { useRef, useState } from 'preact/hooks';
import { inviteUsers, type InvitationResult } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { PageError } from '../../errors.ts';
import { formatNumber } from '../../format.ts';
import { CheckField, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { MailLanguage, mailLanguageOf } from '../mail-language.tsx';
import { ReasonField, reasonOf } from '../reason.tsx';
import { TenantField } from '../tenant-field.tsx';
import { invitationTexts } from './invitation-texts.ts';
import { InvitationResults } from './invitation-results.tsx';
import { mailTexts } from './mail-texts.ts';
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
  const [showsLinks, setShowsLinks] = useState(false);
  const [results, setResults] = useState<readonly InvitationResult[]>();
  const form = useRef<HTMLDivElement>(null);
  const texts = userTexts();
  const invitation = invitationTexts();
  const mail = mailTexts();
  const names = roleNames.filter((name) => name !== SUPER_ADMIN);
  if (results) return <InvitationResults results={results} onClose={onClose} />;

  const fill = async (file: File | undefined) => {
    const area = form.current?.querySelector('textarea');
    if (file && area) area.value = await file.text();
  };
  return (
    <FormDialog
      title={texts.inviteSeveral}
      action={showsLinks ? mail.createLinks : invitation.invitations}
      onClose={onClose}
      fieldOf={(error) => (error instanceof PageError ? 'lines' : undefined)}
      onSubmit={async (values) => {
        const users = parseInvitations(values['lines'] ?? '', rolesOf(values));
        if (users.length === 0 || users.length > MOST) throw new PageError(invitation.linesCount(formatNumber(MOST)));
        if (users.some((user) => user.roles.length === 0)) throw new PageError(texts.noRole);
        const tenantId = choosesTenant ? values['tenantId'] || undefined : own;
        if (tenantId === undefined) throw new PageError(invitation.tenantMissing);
        const { data } = await inviteUsers(session, {
          body: { tenantId, users, ...(showsLinks ? { link: true } : mailLanguageOf(values)), ...reasonOf(values) },
        });
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
      <CheckField
        name="link"
        label={mail.linksInstead}
        hint={mail.linksInsteadHint}
        checked={showsLinks}
        onInput={({ currentTarget }) => setShowsLinks(currentTarget.checked)}
      />
      {!showsLinks && <MailLanguage />}
      <ReasonField />
    </FormDialog>
  );
}
