// A process that claims client assertions, as fast as it can. Arguments: URL of the database, id of the application, number of
// assertions. Prints the number of those that it got.
import { pino } from 'pino';
import { createClaimAssertion } from '../../src/auth/oauth/tokens/client-assertion-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';

const [url, applicationId, count] = process.argv.slice(2) as [string, string, string];
const database = connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
const claim = createClaimAssertion(database);
let claimed = 0;
for (let index = 0; index < Number(count); index += 1) {
  if (await claim(applicationId, { jti: `jti-${index}`, expiresAt: Date.now() + 60_000 }, UNLIMITED)) claimed += 1;
}
await database.close();
console.log(claimed);
