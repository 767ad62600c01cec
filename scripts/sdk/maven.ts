// The Maven artifacts: the gRPC client, and the starters of Spring Boot.
import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { requirePrograms } from '../../test/languages/toolchain.ts';
import { run } from './commands.ts';
import { exportProtos } from './protos.ts';
import { serviceConfig } from './service-config.ts';
import { BUILD, emptyFolder, stage } from './staging.ts';

/** Writes a Maven repository: build/maven. */
export function packMaven(): string {
  requirePrograms('javac', 'javadoc', 'mvn');
  const cwd = stage('java', ['**/pom.xml']);
  const client = join(cwd, 'authservice-grpc');
  exportProtos(join(client, 'proto'));
  const resources = join(client, 'src/main/resources/io/authservice/grpc');
  mkdirSync(resources, { recursive: true });
  writeFileSync(join(resources, 'service-config.json'), serviceConfig());
  const repository = emptyFolder(join(BUILD, 'maven'));
  const target = `-DaltDeploymentRepository=build::file:${repository}`;
  run('mvn', ['--batch-mode', '--quiet', '-Dmaven.test.skip=true', target, 'deploy'], { cwd });
  return repository;
}
