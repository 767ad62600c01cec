import type { Webhook } from '../../../../client/src/operations.ts';
import { formatDateTime } from '../../format.ts';
import { Status } from '../../ui/status.tsx';
import { webhookTexts } from './texts.ts';

interface WebhookStatusProps {
  readonly webhook: Pick<Webhook, 'disabled' | 'disabledReason' | 'failingSince'>;
}

/** Whether records are sent, and if not, why. */
export function WebhookStatus({ webhook: { disabled, disabledReason, failingSince } }: WebhookStatusProps) {
  const texts = webhookTexts();
  if (!disabled && failingSince !== undefined)
    return <Status kind="bad">{texts.failingSince(formatDateTime(failingSince))}</Status>;
  if (!disabled) return <Status kind="good">{texts.enabled}</Status>;
  // An administrator wanted it.
  const kind = disabledReason === 'ADMINISTRATOR' ? 'warn' : 'bad';
  return <Status kind={kind}>{disabledReason === undefined ? texts.disabled : texts[disabledReason]}</Status>;
}
