// Lets refusals of the measured process end at multiples of 10 ms, without the random part, by --import. It would hide small
// differences of what follows the wait, such as 67 µs for an error that is replaced.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

crypto.randomInt = () => 0;
syncBuiltinESMExports();
