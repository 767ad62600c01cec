import { setImmediate as nextTurn } from 'node:timers/promises';

/** Waits for a random number of turns of the event loop, up to `most`: races get other orders in each round, without a clock. */
export async function waitTurns(most: number): Promise<void> {
  for (let turns = Math.floor(Math.random() * (most + 1)); turns > 0; turns -= 1) await nextTurn();
}
