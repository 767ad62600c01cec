// Replaces the package `argon2` in the measured process, by --import. A hash takes microseconds, so that the noise of its time
// does not hide a difference of statements. test/unit/uniform-refusals.test.ts shows that each login computes one hash.
import { registerHooks } from 'node:module';

const stub = `
import { pbkdf2 } from 'node:crypto';
const compute = (result) => new Promise((resolve) => pbkdf2('password', 'salt', 1, 32, 'sha256', () => resolve(result)));
export const argon2id = 2;
export const needsRehash = () => false;
export const verify = () => compute(false);
export const hash = () => compute('$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA');
export default { argon2id, needsRehash, verify, hash };
`;
const url = `data:text/javascript,${encodeURIComponent(stub)}`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'argon2' ? { url, format: 'module', shortCircuit: true } : next(specifier, context),
});
