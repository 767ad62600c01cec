// The npm package authservice-grpc.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.ts';
import { exportProtos } from './protos.ts';
import { serviceConfig } from './service-config.ts';
import { BUILD, emptyFolder, stage, VERSION } from './staging.ts';

export function packNpm(): string {
  const cwd = stage('typescript', ['package.json']);
  exportProtos(join(cwd, 'proto'), { withLibraries: true });
  writeFileSync(join(cwd, 'service-config.json'), serviceConfig());
  run('buf', ['generate', 'proto'], { cwd });
  emptyFolder(join(cwd, 'dist'));
  run('tsc', ['-p', '.'], { cwd });
  run('npm', ['pack', '--silent', '--pack-destination', BUILD], { cwd });
  return join(BUILD, `authservice-grpc-${VERSION}.tgz`);
}
