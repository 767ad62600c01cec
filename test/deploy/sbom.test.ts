// The software bill of materials against the schema of CycloneDX, and against what npm installs in production.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../languages/commands.ts';
import { PROJECT } from '../support/service-process.ts';
import { validateSbom, type Component } from './bill-of-materials.ts';

/** A package in the output of `npm ls`. */
interface Listed {
  /** Missing for optional packages that are not locked. */
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, Listed>>;
}

/** The packages of web/dist that the service does not load. */
const OF_PAGES = ['@preact/signals', '@preact/signals-core', 'preact', 'regexparam', 'wouter-preact'];

/** The command of docs/threat-model.md. */
const [, ...COMMAND] = /^(npm run .+) > sbom\.json$/m
  .exec(readFileSync(join(PROJECT, 'docs/threat-model.md'), 'utf8'))![1]!
  .split(' ');

/** Names with versions, once each. */
function flatten({ dependencies = {} }: Listed, into = new Set<string>()): ReadonlySet<string> {
  for (const [name, one] of Object.entries(dependencies)) {
    if (one.version !== undefined) into.add(`${name}@${one.version}`);
    flatten(one, into);
  }
  return into;
}

it('lists all packages that npm installs in production, and those of the pages, by the schema of CycloneDX', async () => {
  const text = await run('npm', COMMAND, { cwd: PROJECT });
  await validateSbom(text);
  await expect(validateSbom(text.replace('"components"', '"component"'))).rejects.toThrow(/component/);

  const { components } = JSON.parse(text) as { components: readonly Component[] };
  const ofPages = components.filter(({ name }) => OF_PAGES.includes(name));
  expect(ofPages.map(({ name }) => name).toSorted()).toEqual(OF_PAGES);
  const output = await run('npm', ['ls', '--omit=dev', '--all', '--package-lock-only', '--json'], { cwd: PROJECT });
  const installed = flatten(JSON.parse(output) as Listed);
  const ofService = components.filter((one) => !ofPages.includes(one));
  expect(ofService.map(({ name, version }) => `${name}@${version}`).toSorted()).toEqual([...installed].toSorted());
  for (const { purl, hashes } of components) {
    expect(purl).toMatch(/^pkg:npm\//);
    expect(hashes.map(({ alg }) => alg)).toContain('SHA-512');
  }
});
