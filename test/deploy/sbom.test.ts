// The software bill of materials against the schema of CycloneDX and against the lock file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../languages/commands.ts';
import { PROJECT } from '../support/service-process.ts';
import { validateSbom, type Component } from './bill-of-materials.ts';

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

it('lists the packages of production from the lock file, by the schema of CycloneDX', async () => {
  const text = await run('npm', COMMAND, { cwd: PROJECT });
  await validateSbom(text);
  await expect(validateSbom(text.replace('"components"', '"component"'))).rejects.toThrow(/component/);

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
