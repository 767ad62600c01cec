// What can be done with an application.
import { useLocation } from 'wouter-preact';
import { deleteApplication, updateApplication, type Application } from '../../../../client/src/operations.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm, type Question } from '../../ui/confirm.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { useConsole } from '../context.ts';
import { applicationTexts } from './texts.ts';

interface ApplicationActsProps {
  readonly application: Application;
  readonly onChange: () => void;
}

export function ApplicationActs({ application: { id, name, disabled }, onChange }: ApplicationActsProps) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const texts = applicationTexts();
  const path = { id };
  const act = useAct(async (question: Question, send: () => Promise<unknown>) => {
    if (await confirm(question)) await send();
  });
  const setDisabled = async (value: boolean) => {
    await updateApplication(session, { path, body: { disabled: value } });
    notify(value ? texts.disabledNotice : texts.enabledNotice);
    onChange();
  };
  const remove = async () => {
    await deleteApplication(session, { path });
    notify(texts.removed);
    navigate(linkTo('/applications'), { replace: true });
  };
  const enabling = { title: texts.enableTitle(name), text: texts.enableText, action: texts.enableAct };
  const disabling = { title: texts.disableTitle(name), text: texts.disableText, action: texts.disableAct };
  const removal = { title: texts.removeTitle(name), text: texts.removeText, action: texts.removeAct };
  return (
    <>
      <div class="actions">
        <button
          class={disabled ? '' : 'danger'}
          aria-disabled={act.isBusy}
          onClick={() => act.run(disabled ? enabling : disabling, () => setDisabled(!disabled))}
        >
          {disabled ? texts.enable : texts.disable}
        </button>
        <button class="danger" aria-disabled={act.isBusy} onClick={() => act.run(removal, remove)}>
          {texts.remove}
        </button>
      </div>
      <ActError act={act} />
    </>
  );
}
