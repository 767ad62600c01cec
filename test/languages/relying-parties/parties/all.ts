// All relying parties of the test. Those that are not run are in examples/relying-parties/README.md.
import type { Party } from '../party.ts';
import { SPRING } from './java.ts';
import { OIDC_CLIENT_TS } from './javascript.ts';
import { AUTHLIB } from './python.ts';

/** Also with a database server and two processes. */
export const FIRST_PARTIES: readonly Party[] = [SPRING];

export const PARTIES: readonly Party[] = [...FIRST_PARTIES, OIDC_CLIENT_TS, AUTHLIB];
