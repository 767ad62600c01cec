// The values of property tests: the same ones in each run of `npm test`, others in each run of `npm run test:all`. A failure prints its
// seed.
import fc from 'fast-check';
import { ROUNDS } from './rounds.ts';

if (ROUNDS === 1) fc.configureGlobal({ seed: 1 });
