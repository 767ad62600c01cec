// What can be done with a user.
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import {
  cancelInvitation,
  deleteUser,
  deleteUserFactors,
  disableUser,
  enableUser,
  inviteUser,
  unlockUser,
  type Factors,
  type User,
} from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { commonTexts } from '../../texts/common.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm, type Question } from '../../ui/confirm.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { useSecondsUntilResend } from '../../ui/resend-pause.ts';
import { useConsole } from '../context.ts';
import { userTexts } from './texts.ts';
import { ChangeRoles, EditUser, SetPassword } from './user-forms.tsx';

const FORMS = { edit: EditUser, roles: ChangeRoles, password: SetPassword } as const;

interface UserActsProps {
  readonly user: User;
  readonly factors: Factors | undefined;
  readonly onChange: () => void;
}

export function UserActs({ user, factors, onChange }: UserActsProps) {
  const { options, session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const [form, setForm] = useState<keyof typeof FORMS>();
  const [invitedAt, setInvitedAt] = useState<number>();
  const seconds = useSecondsUntilResend(invitedAt);
  const texts = userTexts();
  const { id, name, disabled, invitationExpiresAt, lockedUntil, loginFailedCount } = user;
  const path = { userId: id };

  /** Asks if there is a question, acts, and says that it has succeeded. */
  const act = useAct(
    async (send: () => Promise<unknown>, done: string, question?: Question, next: () => void = onChange) => {
      if (question && !(await confirm(question))) return;
      await send();
      notify(done);
      next();
    },
  );
  const isWaiting = seconds > 0;
  const invite = async () => {
    await inviteUser(session, { path });
    setInvitedAt(Date.now());
  };
  const leave = () => navigate(linkTo('/users'), { replace: true });
  const disable = { title: texts.disableTitle(name), text: texts.disableText, action: texts.disableAct };
  const uninvite = {
    title: texts.cancelInvitationTitle(name),
    text: texts.cancelInvitationText,
    action: texts.cancelInvitation,
  };
  const resetFactors = {
    title: texts.resetFactorsTitle(name),
    text: texts.resetFactorsText,
    action: texts.resetFactorsAct,
  };
  const remove = { title: texts.removeTitle(name), text: texts.removeText, action: texts.removeAct };
  const hasFactors = factors?.totp !== undefined || factors?.passkeys !== undefined;
  const Form = form && FORMS[form];
  return (
    <>
      <div class="actions">
        <button onClick={() => setForm('edit')}>{texts.edit}</button>
        <button onClick={() => setForm('roles')}>{texts.changeRoles}</button>
        <button onClick={() => setForm('password')}>{texts.setPassword}</button>
        {invitationExpiresAt !== undefined && !disabled && options.recovery && (
          <button
            aria-disabled={isWaiting || act.isBusy}
            aria-describedby="send-again"
            onClick={() => isWaiting || act.run(invite, texts.invitedNotice)}
          >
            {texts.inviteAgain}
          </button>
        )}
        {invitationExpiresAt !== undefined && Date.parse(invitationExpiresAt) > Date.now() && (
          <button
            class="danger"
            aria-disabled={act.isBusy}
            onClick={() => act.run(() => cancelInvitation(session, { path }), texts.cancelInvitationNotice, uninvite)}
          >
            {texts.cancelInvitation}
          </button>
        )}
        {(lockedUntil !== undefined || loginFailedCount > 0) && (
          <button
            aria-disabled={act.isBusy}
            onClick={() => act.run(() => unlockUser(session, { path }), texts.unlockedNotice)}
          >
            {texts.unlock}
          </button>
        )}
        {hasFactors && (
          <button
            class="danger"
            aria-disabled={act.isBusy}
            onClick={() => act.run(() => deleteUserFactors(session, { path }), texts.resetFactorsNotice, resetFactors)}
          >
            {texts.resetFactors}
          </button>
        )}
        {disabled ? (
          <button
            aria-disabled={act.isBusy}
            onClick={() => act.run(() => enableUser(session, { path }), texts.enabledNotice)}
          >
            {texts.enable}
          </button>
        ) : (
          <button
            class="danger"
            aria-disabled={act.isBusy}
            onClick={() => act.run(() => disableUser(session, { path }), texts.disabledNotice, disable)}
          >
            {texts.disable}
          </button>
        )}
        <button
          class="danger"
          aria-disabled={act.isBusy}
          onClick={() => act.run(() => deleteUser(session, { path }), texts.removedNotice, remove, leave)}
        >
          {texts.remove}
        </button>
      </div>
      <p id="send-again" class="hint">
        {isWaiting && commonTexts().sendAgainIn(formatNumber(seconds))}
      </p>
      <ActError act={act} />
      {Form && <Form user={user} onChange={onChange} onClose={() => setForm(undefined)} />}
    </>
  );
}
