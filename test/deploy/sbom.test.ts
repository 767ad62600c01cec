// The software bill of materials against the schema of CycloneDX and against the lock file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../languages/commands.ts';
import { pythonPackages } from '../openapi/cache.ts';
import { emptyFolder, PROJECT } from '../support/service-process.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
  readonly hashes: readonly { readonly alg: string }[];
}

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
}

/** The command of docs/threat-model.md. */
const [, ...COMMAND] = /^(npm sbom .+) > sbom\.json$/m
  .exec(readFileSync(join(PROJECT, 'docs/threat-model.md'), 'utf8'))![1]!
  .split(' ');

const VALIDATE = `
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(str(error) if error else 0)
`;

async function validate(text: string): Promise<void> {
  const file = join(emptyFolder(), 'sbom.json');
  writeFileSync(file, text);
  const folder = await pythonPackages('deploy', join(PROJECT, 'test/deploy/requirements.txt'));
  await run(join(folder, 'python'), ['-c', VALIDATE, file]);
}

it('lists the packages of production from the lock file, by the schema of CycloneDX', async () => {
  const text = await run('npm', COMMAND, { cwd: PROJECT });
  await validate(text);
  await expect(validate(text.replace('"components"', '"component"'))).rejects.toThrow(/component/);

  const { components } = JSON.parse(text) as { components: readonly Component[] };
  const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const locked = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const names = new Set(locked.map(([path, { version }]) => `${path.split('node_modules/').at(-1)!}@${version}`));
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  expect(listed.filter((name) => !names.has(name))).toEqual([]);
  for (const name of ['fastify', 'argon2', 'sharp', 'mysql2'])
    expect(components.map((one) => one.name)).toContain(name);
  for (const name of ['vitest', 'typescript']) expect(components.map((one) => one.name)).not.toContain(name);
  for (const { purl, hashes } of components) {
    expect(purl).toMatch(/^pkg:npm\//);
    expect(hashes.map(({ alg }) => alg)).toContain('SHA-512');
  }
});
