/** The type of tests, which no webhook names. */
export const TEST_EVENT = 'webhook.test';

/** The type of heads of the audit trail, which are not records. */
export const SEALED_EVENT = 'audit.sealed';
