import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../languages/commands.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';
import { npmPackages } from './cache.ts';
import { startDemoService } from './demo-service.ts';

const SOURCE = join(PROJECT, 'test/openapi/spectral');
let programs: string;

beforeAll(async () => {
  programs = await npmPackages('spectral', SOURCE);
});
afterAll(endProcesses);

const lint = (file: string) =>
  run(join(programs, 'spectral'), ['lint', file, '--ruleset', join(SOURCE, 'rules.yaml'), '--fail-severity', 'hint']);

describe.each(['A', 'B'] as const)("spectral's rules for OpenAPI, profile %s", (profile) => {
  let document: { paths: Record<string, Record<string, { description?: string }>> };

  beforeAll(async () => {
    const response = await fetch(`${await startDemoService(profile)}/openapi.json`);
    document = (await response.json()) as typeof document;
  });

  const write = () => {
    const file = join(emptyFolder(), 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    return file;
  };

  it('find nothing in the document', async () => {
    expect(await lint(write())).toContain('No results with a severity');
  });

  it('find an operation without a description', async () => {
    delete document.paths['/health/live']!['get']!.description;
    await expect(lint(write())).rejects.toThrow(/operation-description/);
  });
});
