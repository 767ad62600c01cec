// What can be done with an application.
import { useLocation } from 'wouter-preact';
import { deleteApplication, updateApplication, type Application } from '../../../../client/src/operations.ts';
import { Acts } from '../act-button.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { applicationTexts } from './texts.ts';

export function ApplicationActs({ application: { id, name, disabled } }: { readonly application: Application }) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const texts = applicationTexts();
  const path = { id };
  const setDisabled = (value: boolean) => updateApplication(session, { path, body: { disabled: value } });
  const enable = {
    label: texts.enable,
    question: { title: texts.enableTitle(name), text: texts.enableText, action: texts.enableAct },
    changes: ['applications'],
    run: async () => {
      await setDisabled(false);
      return texts.enabledNotice;
    },
  } as const;
  const disable = {
    label: texts.disable,
    isDanger: true,
    question: { title: texts.disableTitle(name), text: texts.disableText, action: texts.disableAct },
    changes: ['applications'],
    run: async () => {
      await setDisabled(true);
      return texts.disabledNotice;
    },
  } as const;
  const remove = {
    label: texts.remove,
    isDanger: true,
    question: { title: texts.removeTitle(name), text: texts.removeText, action: texts.removeAct },
    changes: ['applications', 'grants'],
    run: async () => {
      await deleteApplication(session, { path });
      navigate(linkTo('/applications'), { replace: true });
      return texts.removed;
    },
  } as const;
  return <Acts acts={[disabled ? enable : disable, remove]} />;
}
