// Preloaded into a process (--import): a version of the libraries and of Node whose private members have other names. RENAMED_MEMBERS is
// a pattern of the old names.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const DOOR = '/src/platform/private-members.ts';
const WRAPPER = `
export const privateMembers = (owner, names, use) =>
  realMembers(owner, names.map((name) => (/^(?:${process.env['RENAMED_MEMBERS']})$/.test(name) ? name + 'Next' : name)), use);`;

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(DOOR)) return nextLoad(url, context);
    const source = readFileSync(fileURLToPath(url), 'utf8').replace(
      'export function privateMembers',
      'function realMembers',
    );
    return { format: 'module-typescript', source: source + WRAPPER, shortCircuit: true };
  },
});
