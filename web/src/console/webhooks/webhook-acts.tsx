// What can be done with a webhook.
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import {
  deleteWebhook,
  redeliverWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type Reply,
  type Webhook,
} from '../../../../client/src/operations.ts';
import { formatNumber, fromLocal, toLocal } from '../../format.ts';
import { Acts, type Act } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
import { Field } from '../../ui/field.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { lazyDialog } from '../lazy.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { webhookTexts } from './texts.ts';

const ChangeWebhook = lazyDialog(async () => (await import('./change-webhook.tsx')).ChangeWebhook);
const DAY_MS = 86_400_000;

/** From when on deliveries are sent again: by default of the last day. */
function Since() {
  const yesterday = new Date(Date.now() - DAY_MS).toISOString();
  return (
    <Field name="since" type="datetime-local" label={webhookTexts().since} defaultValue={toLocal(yesterday)} required />
  );
}

export function WebhookActs({ versioned }: { readonly versioned: Reply<Webhook> }) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const [, navigate] = useLocation();
  const [isChanging, setChanging] = useState(false);
  const texts = webhookTexts();
  const { id, url, disabled } = versioned.data;
  const path = { id };
  const { host } = new URL(url);
  const rotate: Act = {
    label: texts.rotate,
    question: { title: texts.rotateTitle, text: texts.rotateText, action: texts.rotateAct, hasReason: true },
    changes: ['webhooks'],
    run: async (values) => {
      const { secret } = (await rotateWebhookSecret(session, { path, body: reasonOf(values) })).data;
      return (close) => (
        <SecretDialog title={texts.secret} text={texts.shownOnceBoth} secret={secret} onClose={close} />
      );
    },
  };
  const redeliver: Act = {
    label: texts.redeliver,
    question: { title: texts.redeliverTitle, text: texts.redeliverText, action: texts.redeliverAct, fields: <Since /> },
    changes: ['webhooks'],
    run: async ({ since = '' }) => {
      const body = { since: fromLocal(since), status: 'FAILED' } as const;
      const { data } = await redeliverWebhook(session, { path, body });
      const count = formatNumber(data.deliveries);
      return data.hasMore ? texts.redeliveredSome(count) : texts.redelivered(count);
    },
  };
  const enable: Act = {
    label: texts.enable,
    question: { title: texts.enableTitle(host), text: texts.enableText, action: texts.enableAct, hasReason: true },
    changes: ['webhooks'],
    run: async (values) => {
      await updateWebhook(session, { path, body: { disabled: false, ...reasonOf(values) } });
      return texts.enabledNotice;
    },
  };
  const disable: Act = {
    label: texts.disable,
    isDanger: true,
    question: { title: texts.disableTitle(host), text: texts.disableText, action: texts.disableAct, hasReason: true },
    changes: ['webhooks'],
    run: async (values) => {
      await updateWebhook(session, { path, body: { disabled: true, ...reasonOf(values) } });
      return texts.disabledNotice;
    },
  };
  const remove: Act = {
    label: texts.remove,
    isDanger: true,
    question: { title: texts.removeTitle(host), text: texts.removeText, action: texts.removeAct, hasReason: true },
    changes: ['webhooks'],
    run: async (values) => {
      await deleteWebhook(session, { path, query: reasonOf(values) });
      navigate(linkTo('/webhooks'), { replace: true });
      return texts.removed;
    },
  };
  return (
    <>
      <Acts acts={[...(disabled ? [] : [redeliver]), rotate, disabled ? enable : disable, remove]}>
        <button onClick={() => setChanging(true)}>{texts.change}</button>
      </Acts>
      {isChanging && <ChangeWebhook versioned={versioned} onClose={() => setChanging(false)} />}
    </>
  );
}
