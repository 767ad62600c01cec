// The kinds of events that a request for a webhook can name.
import { expect, it } from 'vitest';
import { AUDIT_EVENTS } from '../../src/auth/audit/trail/audit-events.ts';
import { COUNTED } from '../../src/auth/audit/trail/refusal-counts.ts';
import { SEALED_EVENT } from '../../src/auth/webhook/delivery-message.ts';
import { fieldRule } from '../../src/platform/rpc/field-rule.ts';

it.each(['CreateWebhookRequest', 'WebhookFields'])('the proto of %s lists all kinds of events', (message) => {
  const { allowed } = fieldRule(`authservice.webhook.v1.${message}.events`);
  expect(allowed.toSorted()).toEqual([...AUDIT_EVENTS, COUNTED, SEALED_EVENT].toSorted());
});
