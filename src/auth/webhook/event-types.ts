import { AUDIT_EVENTS } from '../audit/audit-events.ts';
import { COUNTED } from '../audit/refusal-counts.ts';

/** The type of tests, which no webhook names. */
export const TEST_EVENT = 'webhook.test';

/** The kinds of events that a webhook can get. */
export const WEBHOOK_EVENTS: readonly string[] = [...AUDIT_EVENTS, COUNTED];
