import { getWebhook, updateWebhook, type Reply, type Webhook } from '../../../../client/src/operations.ts';
import { ChangeForm } from '../change-form.tsx';
import { useService } from '../../ui/frame.tsx';
import { webhookTexts } from './texts.ts';
import { bodyOf, fieldOf, WebhookFields } from './webhook-fields.tsx';

interface ChangeWebhookProps {
  readonly versioned: Reply<Webhook>;
  readonly onClose: () => void;
}

export function ChangeWebhook({ versioned, onClose }: ChangeWebhookProps) {
  const { session } = useService();
  const texts = webhookTexts();
  const webhook = versioned.data;
  const path = { id: webhook.id };
  return (
    <ChangeForm
      title={texts.change}
      action={texts.save}
      opened={versioned}
      onClose={onClose}
      fieldOf={fieldOf}
      read={bodyOf}
      save={(body, headers, reason) => updateWebhook(session, { path, headers, body: { ...body, ...reason } })}
      load={() => getWebhook(session, { path })}
      compare={(mine, saved) => [
        { label: texts.url, mine: mine.url, saved: saved.url },
        { label: texts.events, mine: listOf(mine.events), saved: listOf(saved.events) },
      ]}
      done={texts.saved}
      changes={['webhooks']}
    >
      <WebhookFields webhook={webhook} ofTenant={webhook.tenantId !== undefined} />
    </ChangeForm>
  );
}

const listOf = (events: readonly string[]): string => events.toSorted().join(' ');
