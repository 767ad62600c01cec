// What can be done with a user: each act with what it asks before, and what it changes.
import { useLocation } from 'wouter-preact';
import type { Topic } from '../../changes.ts';
import {
  createAccessCode,
  deleteUser,
  deleteUserFactor,
  deleteUserFactors,
  disableUser,
  enableUser,
  revokeUserSessions,
  secureUser,
  sendRecovery,
  setUserPassword,
  unlockUser,
  updateUser,
  type Reply,
  type User,
} from '../../../../client/src/operations.ts';
import { formatDateTime, formatNumber, fromLocal } from '../../format.ts';
import type { Act } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { Field } from '../../ui/field.tsx';
import { useService } from '../../ui/frame.tsx';
import { tagOf } from '../../service.ts';
import { useConsole } from '../context.ts';
import { MailLanguage, mailLanguageOf } from '../mail-language.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { invitationActs } from './invitation-acts.tsx';
import { Held, Secured } from './user-parts.ts';
import { userActTexts } from './act-texts.ts';

const USER: readonly Topic[] = ['users'];
/** What ends with the credentials of a user. */
const ACCOUNT: readonly Topic[] = ['users', 'factors', 'sessions', 'grants'];
const MINUTES = [5, 15, 30, 60];

/** Returns the acts. Whether an administrator is offered one depends on its permissions, and on the state of the user. */
export function useUserActs({ data: user, headers }: Reply<User>) {
  const { options, session } = useService();
  const { account, holds, linkTo } = useConsole();
  const [, navigate] = useLocation();
  const texts = userActTexts();
  const { id, name } = user;
  const path = { userId: id };
  const isOther = id !== account.id;
  const manages = holds('MANAGE_USERS');
  const recovers = manages || holds('RECOVER_USERS');
  const isInvited = user.invitationExpiresAt !== undefined;
  const canInvite = options.recovery && user.tenantId !== undefined;

  const acts = {
    unlock: {
      label: texts.unlock,
      question: { title: texts.unlockTitle(name), text: texts.unlockText, action: texts.unlockAct, hasReason: true },
      changes: USER,
      run: async (values) => {
        await unlockUser(session, { path, body: reasonOf(values) });
        return texts.unlocked;
      },
    },
    enable: {
      label: texts.enable,
      question: { title: texts.enableTitle(name), text: texts.enableText, action: texts.enableAct, hasReason: true },
      changes: ACCOUNT,
      run: async (values) => {
        await enableUser(session, { path, body: reasonOf(values) });
        return texts.enabled;
      },
    },
    disable: {
      label: texts.disable,
      isDanger: true,
      question: {
        title: texts.disableTitle(name),
        text: (
          <>
            <p>{texts.disableText}</p>
            <Held user={user} />
          </>
        ),
        action: texts.disableAct,
        fields: <Field name="disableAt" type="datetime-local" label={texts.disableAt} hint={texts.disableAtHint} />,
        hasReason: true,
      },
      changes: ACCOUNT,
      run: async (values) => {
        const { disableAt = '' } = values;
        if (disableAt === '') {
          await disableUser(session, { path, body: reasonOf(values) });
          return texts.disabled;
        }
        const body = { disableAt: fromLocal(disableAt), ...reasonOf(values) };
        await updateUser(session, { path, body, headers: { 'if-match': tagOf(headers) } });
        return texts.willBeDisabled(formatDateTime(disableAt));
      },
    },
    keepEnabled: {
      label: texts.keepEnabled,
      changes: USER,
      run: async () => {
        await updateUser(session, { path, body: { disableAt: null }, headers: { 'if-match': tagOf(headers) } });
        return texts.keptEnabled;
      },
    },
    ...invitationActs(session, user),
    sendRecovery: {
      label: texts.sendRecovery,
      sendsMail: true,
      question: {
        title: texts.sendRecoveryTitle(name),
        text: texts.sendRecoveryText(user.email ?? ''),
        action: texts.sendRecoveryAct,
        fields: <MailLanguage />,
        hasReason: true,
      },
      changes: USER,
      run: async (values) => {
        await sendRecovery(session, { path, body: { ...mailLanguageOf(values), ...reasonOf(values) } });
        return texts.recoverySent(user.email ?? '');
      },
    },
    temporaryPassword: {
      label: texts.temporaryPassword,
      question: {
        title: texts.temporaryPasswordTitle(name),
        text: texts.temporaryPasswordText,
        action: texts.temporaryPasswordAct,
        hasReason: true,
      },
      changes: ACCOUNT,
      run: async (values) => {
        const body = { temporary: true, ...reasonOf(values) };
        const { data } = await setUserPassword(session, { path, body });
        const { password } = data as { readonly password: string };
        return (close) => (
          <SecretDialog title={texts.temporaryPassword} text={texts.passwordShown} secret={password} onClose={close} />
        );
      },
    },
    accessCode: {
      label: texts.accessCode,
      question: {
        title: texts.accessCodeTitle(name),
        text: texts.accessCodeText,
        action: texts.accessCodeAct,
        fields: (
          <ChoiceField
            name="minutes"
            label={texts.minutes}
            value="15"
            options={MINUTES.map((count) => [String(count), texts.inMinutes(formatNumber(count))])}
          />
        ),
        hasReason: true,
      },
      changes: USER,
      run: async (values) => {
        const body = { minutes: Number(values['minutes']), ...reasonOf(values) };
        const { data } = await createAccessCode(session, { path, body });
        const text = texts.accessCodeShown(formatDateTime(data.expiresAt));
        return (close) => (
          <SecretDialog title={texts.accessCode} text={text} secret={data.accessCode} onClose={close} />
        );
      },
    },
    resetFactors: {
      label: texts.resetFactors,
      isDanger: true,
      question: {
        title: texts.resetFactorsTitle(name),
        text: texts.resetFactorsText,
        action: texts.resetFactorsAct,
        hasReason: true,
      },
      changes: ACCOUNT,
      run: async (values) => {
        await deleteUserFactors(session, { path, query: reasonOf(values) });
        return texts.factorsReset;
      },
    },
    endSessions: {
      label: texts.endSessions,
      isDanger: true,
      question: {
        title: texts.endSessionsTitle(name),
        text: texts.endSessionsText,
        action: texts.endSessions,
        hasReason: true,
      },
      changes: ['sessions'],
      run: async (values) => {
        const { data } = await revokeUserSessions(session, { path, query: reasonOf(values) });
        return texts.sessionsEnded(formatNumber(data.revoked));
      },
    },
    secure: {
      label: texts.secure,
      isDanger: true,
      question: {
        title: texts.secureTitle(name),
        text: texts.secureText,
        action: texts.secure,
        hasReason: true,
      },
      changes: ACCOUNT,
      run: async (values) => {
        const { data } = await secureUser(session, { path, body: reasonOf(values) });
        return (close) => <Secured user={user} result={data} onClose={close} />;
      },
    },
    remove: {
      label: texts.remove,
      isDanger: true,
      question: { title: texts.removeTitle(name), text: texts.removeText, action: texts.removeAct, hasReason: true },
      changes: ACCOUNT,
      run: async (values) => {
        await deleteUser(session, { path, query: reasonOf(values) });
        navigate(linkTo('/users'), { replace: true });
        return texts.removed;
      },
    },
  } satisfies Readonly<Record<string, Act>>;

  const removeFactor = (factorId: string, label: string): Act => ({
    label: texts.removeFactor,
    name: texts.removeFactorOf(label),
    isDanger: true,
    isSmall: true,
    question: {
      title: texts.removeFactorTitle(label),
      text: texts.removeFactorText,
      action: texts.removeFactorAct,
      hasReason: true,
    },
    changes: ACCOUNT,
    run: async (values) => {
      await deleteUserFactor(session, { path: { ...path, factorId }, query: reasonOf(values) });
      return texts.factorRemoved;
    },
  });

  /** Whether each act is offered. */
  const offers: Readonly<Record<keyof typeof acts, boolean>> = {
    unlock: recovers && (user.lockedUntil !== undefined || user.loginFailedCount > 0),
    enable: manages && user.disabled,
    disable: manages && isOther && !user.disabled,
    keepEnabled: manages && user.disableAt !== undefined && !user.disabled,
    inviteAgain: manages && isInvited && canInvite && !user.disabled && user.email !== undefined,
    copyLink: manages && isInvited && canInvite && !user.disabled,
    cancelInvitation: manages && isInvited && Date.parse(user.invitationExpiresAt!) > Date.now(),
    sendRecovery: recovers && canInvite && !isInvited && !user.disabled && user.email !== undefined,
    temporaryPassword: manages && isOther && !isInvited,
    accessCode: manages && isOther && user.factors.length > 0,
    resetFactors: recovers && isOther && user.factors.length > 0,
    endSessions: holds('MANAGE_SESSIONS'),
    secure: manages && isOther,
    remove: manages && isOther,
  };
  return {
    /** Returns those of these acts that are offered. */
    offered: (...names: (keyof typeof acts)[]): readonly Act[] =>
      names.filter((name) => offers[name]).map((name) => acts[name]),
    removeFactor: recovers && isOther ? removeFactor : undefined,
  };
}
