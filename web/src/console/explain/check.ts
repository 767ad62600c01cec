import type { ExplainCredentialResponse } from '../../../../client/src/operations.ts';

/** A check of an explained credential. */
export type Check = ExplainCredentialResponse['checks'][number];
