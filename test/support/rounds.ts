/**
 * How often a test of a race repeats it, from TEST_ROUNDS: 1 in `npm test`, where each race runs once and must come out right; 8 in
 * `npm run test:all`, and 60 in its part `rounds`.
 */
export const ROUNDS = roundsOf(process.env['TEST_ROUNDS'] ?? '1');

function roundsOf(text: string): number {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`TEST_ROUNDS=${text} is not a positive integer`);
  return rounds;
}
