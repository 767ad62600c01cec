// The Python wheel authservice.
import { cpSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment } from '../../test/languages/python-environment.ts';
import { PROJECT, run } from './commands.ts';
import { exportProtos } from './protos.ts';
import { serviceConfig } from './service-config.ts';
import { BUILD, emptyFolder, stage, VERSION } from './staging.ts';

export async function packPython(): Promise<string> {
  const python = join(await pythonEnvironment(join(PROJECT, 'sdk/python/build-requirements.txt')), 'python3');
  const cwd = stage('python', ['pyproject.toml']);
  const protos = exportProtos(join(cwd, 'proto'));
  const source = emptyFolder(join(cwd, 'src'));
  cpSync(join(PROJECT, 'sdk/python/src'), source, { recursive: true });
  writeFileSync(join(source, 'authservice/service-config.json'), serviceConfig());
  const files = globSync('authservice/**/*.proto', { cwd: protos }).toSorted();
  const outputs = ['python_out', 'pyi_out', 'grpc_python_out'].map((option) => `--${option}=${source}`);
  run(python, ['-m', 'grpc_tools.protoc', '-I', protos, ...outputs, ...files], { cwd });
  emptyFolder(join(cwd, 'build'));
  run(python, ['-m', 'build', '--wheel', '--no-isolation', '--outdir', BUILD, '.'], { cwd });
  return join(BUILD, `authservice-${VERSION}-py3-none-any.whl`);
}
