import { useState } from 'preact/hooks';
import { getWebhook, updateWebhook, type Webhook } from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { tagOf } from '../../service.ts';
import { Conflict, type Difference } from '../../ui/conflict.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { webhookTexts } from './texts.ts';
import { bodyOf, fieldOf, WebhookFields } from './webhook-fields.tsx';

/** A webhook and its version. */
export interface VersionedWebhook {
  readonly webhook: Webhook;
  readonly tag: string;
}

interface ChangeWebhookProps {
  readonly versioned: VersionedWebhook;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/** Changes a webhook. If somebody else did so meanwhile, both values are shown, and saving again decides. */
export function ChangeWebhook({ versioned: opened, onChange, onClose }: ChangeWebhookProps) {
  const { session } = useService();
  const [tag, setTag] = useState(opened.tag);
  const [differences, setDifferences] = useState<readonly Difference[]>();
  const texts = webhookTexts();
  const path = { id: opened.webhook.id };
  const leave = () => {
    onClose();
    onChange();
  };
  const showConflict = async (mine: ReturnType<typeof bodyOf>) => {
    const { data: saved, headers } = await getWebhook(session, { path });
    setTag(tagOf(headers));
    const listOf = (events: readonly string[]) => events.toSorted().join(' ');
    const rows = [
      { label: texts.url, mine: mine.url, saved: saved.url },
      { label: texts.events, mine: listOf(mine.events), saved: listOf(saved.events) },
    ];
    setDifferences(rows.filter((row) => row.mine !== row.saved));
  };
  const save = async (values: Values) => {
    const body = bodyOf(values);
    try {
      await updateWebhook(session, { path, headers: { 'if-match': tag }, body });
    } catch (error) {
      if (codeOf(error) === 'precondition-failed') return showConflict(body);
      throw error;
    }
    notify(texts.saved);
    leave();
  };
  return (
    <FormDialog title={texts.change} action={texts.save} onClose={onClose} onSubmit={save} fieldOf={fieldOf}>
      {differences && <Conflict differences={differences} onDiscard={leave} />}
      <WebhookFields webhook={opened.webhook} />
    </FormDialog>
  );
}
