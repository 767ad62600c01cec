// The packages that need no further tool are packed, and the committed code of the Go module is that of the protos. `npm run test:all -- sdk`
// uses all packages.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generateGo } from '../../scripts/sdk/go.ts';
import { emptyFolder, PROJECT } from '../support/service-process.ts';
import { run } from './commands.ts';

const COMMENTS_OF_TOOLS = ['-I', '^//'];

it('packs the protos and the npm package with all that they import', async () => {
  const output = await run(process.execPath, [join(PROJECT, 'scripts/pack-sdk.ts'), 'proto', 'npm'], { cwd: PROJECT });
  const [protos, npm] = output.trim().split('\n') as [string, string];
  const built = await run(join(PROJECT, 'node_modules/.bin/buf'), ['build', protos, '-o', '-#format=json'], {
    cwd: emptyFolder(),
  });
  const names = (JSON.parse(built) as { file: { name: string }[] }).file.map(({ name }) => name);
  expect(names).toContain('authservice/identity/v1/identity_service.proto');
  expect(names).toContain('google/api/annotations.proto');
  const files = (await run('tar', ['-tzf', npm])).split('\n');
  expect(files).toContain('package/dist/src/index.d.ts');
  expect(files).toContain('package/dist/gen/index.authservice.identity.v1.js');
  expect(files).toContain('package/LICENSE');
});

it('the generated code of the Go module is current', async () => {
  const folder = emptyFolder();
  generateGo(folder);
  const own = join(PROJECT, 'sdk/go');
  for (const name of ['authservice', 'service-config.json']) {
    await run('diff', ['-r', '-q', ...COMMENTS_OF_TOOLS, join(own, name), join(folder, name)]);
  }
});
