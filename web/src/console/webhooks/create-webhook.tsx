import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { createWebhook, type CreateWebhookResponse } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { TenantField } from '../tenant-field.tsx';
import { webhookTexts } from './texts.ts';
import { bodyOf, fieldOf, WebhookFields } from './webhook-fields.tsx';

/** Creates a webhook, shows its secret once, and then the webhook. */
export function CreateWebhook({ onClose }: { readonly onClose: () => void }) {
  const { session } = useService();
  const [, navigate] = useLocation();
  const { choosesTenant, linkTo, tenantId } = useConsole();
  const [tenant, setTenant] = useState(tenantId ?? '');
  const [created, setCreated] = useState<CreateWebhookResponse>();
  const texts = webhookTexts();
  if (created) {
    const show = () => navigate(linkTo(`/webhooks/${created.webhook.id}`));
    return <SecretDialog title={texts.secret} text={texts.shownOnce} secret={created.secret} onClose={show} />;
  }
  return (
    <FormDialog
      title={texts.create}
      action={texts.create}
      onClose={onClose}
      fieldOf={fieldOf}
      onSubmit={async (values) => {
        const body = { ...bodyOf(values), ...(tenant === '' ? {} : { tenantId: tenant }) };
        setCreated((await createWebhook(session, { body })).data);
        changed(['webhooks']);
      }}
    >
      {choosesTenant && <TenantField none={texts.allTenants} onChoose={setTenant} />}
      <WebhookFields ofTenant={!choosesTenant || tenant !== ''} />
    </FormDialog>
  );
}
