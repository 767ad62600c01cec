// What can be done with an application.
import { useLocation } from 'wouter-preact';
import { deleteApplication, updateApplication, type Application } from '../../../../client/src/operations.ts';
import { Acts } from '../act-button.tsx';
import { reasonOf, type Reason } from '../reason.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { applicationTexts } from './texts.ts';

export function ApplicationActs({ application: { id, name, disabled } }: { readonly application: Application }) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const texts = applicationTexts();
  const path = { id };
  const setDisabled = (value: boolean, reason: Reason) =>
    updateApplication(session, { path, body: { disabled: value, ...reason } });
  const enable = {
    label: texts.enable,
    question: { title: texts.enableTitle(name), text: texts.enableText, action: texts.enableAct, hasReason: true },
    changes: ['applications'],
    run: async (values: Values) => {
      await setDisabled(false, reasonOf(values));
      return texts.enabledNotice;
    },
  } as const;
  const disable = {
    label: texts.disable,
    isDanger: true,
    question: { title: texts.disableTitle(name), text: texts.disableText, action: texts.disableAct, hasReason: true },
    changes: ['applications'],
    run: async (values: Values) => {
      await setDisabled(true, reasonOf(values));
      return texts.disabledNotice;
    },
  } as const;
  const remove = {
    label: texts.remove,
    isDanger: true,
    question: { title: texts.removeTitle(name), text: texts.removeText, action: texts.removeAct, hasReason: true },
    changes: ['applications', 'grants'],
    run: async (values: Values) => {
      await deleteApplication(session, { path, query: reasonOf(values) });
      navigate(linkTo('/applications'), { replace: true });
      return texts.removed;
    },
  } as const;
  return <Acts acts={[disabled ? enable : disable, remove]} />;
}
