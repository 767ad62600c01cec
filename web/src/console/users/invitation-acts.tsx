// What can be done with the invitation of a user.
import type { Session } from '../../../../client/src/index.ts';
import { cancelInvitation, createInvitationLink, inviteUser, type User } from '../../../../client/src/operations.ts';
import type { Topic } from '../../changes.ts';
import { formatDateTime } from '../../format.ts';
import type { Act } from '../act-button.tsx';
import { MailLanguage, mailLanguageOf } from '../mail-language.tsx';
import { reasonOf } from '../reason.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { userActTexts } from './act-texts.ts';
import { mailTexts } from './mail-texts.ts';

const USER: readonly Topic[] = ['users'];

export function invitationActs(session: Session, user: User) {
  const texts = userActTexts();
  const mail = mailTexts();
  const { id, name } = user;
  const path = { userId: id };
  return {
    inviteAgain: {
      label: texts.inviteAgain,
      sendsMail: true,
      question: {
        title: texts.inviteAgainTitle(name),
        text: texts.inviteAgainText(user.email ?? ''),
        action: texts.inviteAgainAct,
        fields: <MailLanguage />,
        hasReason: true,
      },
      changes: USER,
      run: async (values) => {
        await inviteUser(session, { path, body: { ...mailLanguageOf(values), ...reasonOf(values) } });
        return texts.invited(user.email ?? '');
      },
    },
    copyLink: {
      label: mail.copyLink,
      question: {
        title: mail.copyLinkTitle(name),
        text: mail.copyLinkText,
        action: mail.copyLinkAct,
        hasReason: true,
      },
      changes: USER,
      run: async (values) => {
        const { data } = await createInvitationLink(session, { path, body: reasonOf(values) });
        const text = mail.linkShown(formatDateTime(data.expiresAt));
        return (close) => <SecretDialog title={mail.link} text={text} secret={data.link} onClose={close} />;
      },
    },
    cancelInvitation: {
      label: texts.cancelInvitation,
      isDanger: true,
      question: {
        title: texts.cancelInvitationTitle(name),
        text: texts.cancelInvitationText,
        action: texts.cancelInvitation,
        hasReason: true,
      },
      changes: USER,
      run: async (values) => {
        await cancelInvitation(session, { path, query: reasonOf(values) });
        return texts.invitationCancelled;
      },
    },
  } satisfies Readonly<Record<string, Act>>;
}
