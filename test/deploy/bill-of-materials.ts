// Checks a software bill of materials by the schema of CycloneDX, with its library for Python.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../languages/commands.ts';
import { pythonPackages } from '../openapi/cache.ts';
import { emptyFolder, PROJECT } from '../support/service-process.ts';

export interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
  readonly hashes: readonly { readonly alg: string }[];
}

const VALIDATE = `
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(str(error) if error else 0)
`;

/** Throws if a document does not follow the schema. */
export async function validateSbom(text: string): Promise<void> {
  const file = join(emptyFolder(), 'sbom.json');
  writeFileSync(file, text);
  const folder = await pythonPackages('deploy', join(PROJECT, 'test/deploy/requirements.txt'));
  await run(join(folder, 'python'), ['-c', VALIDATE, file]);
}
