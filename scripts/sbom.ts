// Prints the software bill of materials of all packages that users of this project get: npm run -s sbom.
import { join } from 'node:path';
import { createSbom } from './sbom/document.ts';
import { shippedPackages } from './sbom/shipped-packages.ts';
import { describeSource } from './sbom/source.ts';

const PROJECT = join(import.meta.dirname, '..');

process.stdout.write(createSbom(describeSource(PROJECT), shippedPackages(PROJECT)));
