import { AUDIT_EVENTS } from '../audit/audit-events.ts';
import { COUNTED } from '../audit/refusal-counts.ts';

/** The type of tests, which no webhook names. */
export const TEST_EVENT = 'webhook.test';

/** The type of heads of the audit trail, which are not records. */
export const SEALED_EVENT = 'audit.sealed';

/** The kinds of events that a webhook can get. */
export const WEBHOOK_EVENTS: readonly string[] = [...AUDIT_EVENTS, COUNTED, SEALED_EVENT];
