// What the service serves. Parties of a function that is not served are not in the table of a run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../support/service-process.ts';

const METADATA = readFileSync(join(PROJECT, 'gateway/root/metadata.ts'), 'utf8');
const MEMBERS = { code: 'token_endpoint:', device: 'device_authorization_endpoint:', logout: 'end_session_endpoint:' };

/** Whether the metadata has the endpoint of a function. */
export const isServed = (name: keyof typeof MEMBERS): boolean => METADATA.includes(MEMBERS[name]);
