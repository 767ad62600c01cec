// Histories of codes and grants at two processes, against a model: no token is good after its end, no replay stays unpunished, no grant
// is lost.
import { describe, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { ENGINES } from '../../support/databases.ts';
import { checkHistories } from '../../support/oauth/grant-histories.ts';
import { openedServices } from '../../support/oauth/service.ts';
import { ROUNDS } from '../../support/rounds.ts';

rememberPasswords();

/** By default the embedded database alone. */
const HERE = ROUNDS === 1 ? ENGINES.slice(0, 1) : ENGINES;
/** In the gate, their values are the same in each run. */
const HISTORIES = ROUNDS === 1 ? 2 : 5 * ROUNDS;

describe.each(HERE)('%s: two processes', (engine) => {
  const services = openedServices({ engine, transport: 'local', isPatient: true });

  it(
    `keep codes and grants as the model does, in ${HISTORIES} histories`,
    () => checkHistories(services, HISTORIES),
    120_000 * ROUNDS,
  );
});
