// What can be done with a user.
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import {
  deleteUser,
  deleteUserFactors,
  disableUser,
  enableUser,
  unlockUser,
  type Factors,
  type User,
} from '../../../../client/src/operations.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
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
  const { session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const [form, setForm] = useState<keyof typeof FORMS>();
  const act = useAct();
  const texts = userTexts();
  const { id, name, disabled, lockedUntil, loginFailedCount } = user;
  const path = { userId: id };

  /** Asks if there is a question, acts, and says that it has succeeded. */
  const start = (send: () => Promise<unknown>, done: string, question?: Parameters<typeof confirm>[0]) =>
    act.run(async () => {
      if (question && !(await confirm(question))) return;
      await send();
      notify(done);
      onChange();
    });
  const disable = { title: texts.disableTitle(name), text: texts.disableText, action: texts.disableAct };
  const resetFactors = {
    title: texts.resetFactorsTitle(name),
    text: texts.resetFactorsText,
    action: texts.resetFactorsAct,
  };
  const remove = async () => {
    const question = { title: texts.removeTitle(name), text: texts.removeText, action: texts.removeAct };
    if (!(await confirm(question))) return;
    await deleteUser(session, { path });
    notify(texts.removedNotice);
    navigate(linkTo('/users'), { replace: true });
  };
  const hasFactors = factors?.totp !== undefined || factors?.passkeys !== undefined;
  const Form = form && FORMS[form];
  return (
    <>
      <div class="actions">
        <button onClick={() => setForm('edit')}>{texts.edit}</button>
        <button onClick={() => setForm('roles')}>{texts.changeRoles}</button>
        <button onClick={() => setForm('password')}>{texts.setPassword}</button>
        {(lockedUntil !== undefined || loginFailedCount > 0) && (
          <button onClick={() => start(() => unlockUser(session, { path }), texts.unlockedNotice)}>
            {texts.unlock}
          </button>
        )}
        {hasFactors && (
          <button
            class="danger"
            onClick={() => start(() => deleteUserFactors(session, { path }), texts.resetFactorsNotice, resetFactors)}
          >
            {texts.resetFactors}
          </button>
        )}
        {disabled ? (
          <button onClick={() => start(() => enableUser(session, { path }), texts.enabledNotice)}>
            {texts.enable}
          </button>
        ) : (
          <button
            class="danger"
            onClick={() => start(() => disableUser(session, { path }), texts.disabledNotice, disable)}
          >
            {texts.disable}
          </button>
        )}
        <button class="danger" onClick={() => act.run(remove)}>
          {texts.remove}
        </button>
      </div>
      <ActError act={act} />
      {Form && <Form user={user} onChange={onChange} onClose={() => setForm(undefined)} />}
    </>
  );
}
