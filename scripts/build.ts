// Bundles the programs as plain JavaScript: `npm run build` writes dist/.
import { join, resolve } from 'node:path';
import { buildPrograms } from './build/build-programs.ts';

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../dist'));
const { programs, seconds } = await buildPrograms(folder);
console.log(`${folder}: ${programs.join(', ')} in ${seconds.toFixed(1)} s`);
