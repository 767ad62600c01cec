// What a release consists of: the scripts that build it, and the files that they leave in build/.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of all artifacts. */
export const BUILD = 'build';

/** The scripts of package.json that build artifacts, in the order of a release. */
export const PACK_SCRIPTS: readonly string[] = ['pack', 'pack:sdk', 'image', 'chart'];

export interface Artifact {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The files of a release. An OCI layout is listed by its index, whose digests name everything in it. */
export function listArtifacts(project: string): Artifact[] {
  const patterns = [
    '*.{tgz,tar.gz,whl,zip,jar,pom,json}',
    '*/index.json',
    'chart/*.tgz',
    'maven/**/*.{jar,pom}',
    'go/**/*.zip',
  ];
  const paths = globSync(
    patterns.map((pattern) => `${BUILD}/${pattern}`),
    { cwd: project },
  );
  return paths.toSorted().map((path) => {
    const content = readFileSync(join(project, path));
    return {
      path,
      bytes: statSync(join(project, path)).size,
      sha256: createHash('sha256').update(content).digest('hex'),
    };
  });
}

/** The archives of sources and Javadoc that the jars of build/maven lack. Maven Central refuses a jar without them. */
export function missingMavenArchives(project: string): string[] {
  const all = globSync(`${BUILD}/maven/**/*.jar`, { cwd: project }).toSorted();
  const jars = all.filter((path) => !/-(sources|javadoc)\.jar$/.test(path));
  const archives = jars.flatMap((jar) => ['sources', 'javadoc'].map((kind) => jar.replace(/\.jar$/, `-${kind}.jar`)));
  return archives.filter((path) => !existsSync(join(project, path)));
}
