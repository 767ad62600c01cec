// What can be done with a webhook.
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { deleteWebhook, rotateWebhookSecret, updateWebhook } from '../../../../client/src/operations.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm, type Question } from '../../ui/confirm.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { useConsole } from '../context.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { ChangeWebhook, type VersionedWebhook } from './change-webhook.tsx';
import { webhookTexts } from './texts.ts';

interface WebhookActsProps {
  readonly versioned: VersionedWebhook;
  readonly onChange: () => void;
}

export function WebhookActs({ versioned, onChange }: WebhookActsProps) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const [isChanging, setChanging] = useState(false);
  const [secret, setSecret] = useState<string>();
  const texts = webhookTexts();
  const { id, url, disabled } = versioned.webhook;
  const path = { id };
  const { host } = new URL(url);
  const act = useAct(async (question: Question, send: () => Promise<unknown>) => {
    if (await confirm(question)) await send();
  });
  const setDisabled = async (value: boolean) => {
    await updateWebhook(session, { path, body: { disabled: value } });
    notify(value ? texts.disabledNotice : texts.enabledNotice);
    onChange();
  };
  const rotate = async () => setSecret((await rotateWebhookSecret(session, { path })).data.secret);
  const remove = async () => {
    await deleteWebhook(session, { path });
    notify(texts.removed);
    navigate(linkTo('/webhooks'), { replace: true });
  };
  const enabling = { title: texts.enableTitle(host), text: texts.enableText, action: texts.enableAct };
  const disabling = { title: texts.disableTitle(host), text: texts.disableText, action: texts.disableAct };
  const rotation = { title: texts.rotateTitle, text: texts.rotateText, action: texts.rotateAct };
  const removal = { title: texts.removeTitle(host), text: texts.removeText, action: texts.removeAct };
  return (
    <>
      <div class="actions">
        <button onClick={() => setChanging(true)}>{texts.change}</button>
        <button aria-disabled={act.isBusy} onClick={() => act.run(rotation, rotate)}>
          {texts.rotate}
        </button>
        {disabled ? (
          <button aria-disabled={act.isBusy} onClick={() => act.run(enabling, () => setDisabled(false))}>
            {texts.enable}
          </button>
        ) : (
          <button class="danger" aria-disabled={act.isBusy} onClick={() => act.run(disabling, () => setDisabled(true))}>
            {texts.disable}
          </button>
        )}
        <button class="danger" aria-disabled={act.isBusy} onClick={() => act.run(removal, remove)}>
          {texts.remove}
        </button>
      </div>
      <ActError act={act} />
      {isChanging && <ChangeWebhook versioned={versioned} onChange={onChange} onClose={() => setChanging(false)} />}
      {secret !== undefined && (
        <SecretDialog
          title={texts.secret}
          text={texts.shownOnceBoth}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
