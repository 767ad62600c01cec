// The version of a release is that of package.json. These files repeat it, because their tools read it there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Copy {
  readonly file: string;
  /** Its first group is the version. */
  readonly pattern: RegExp;
}

export const VERSION_COPIES: readonly Copy[] = [
  { file: 'package-lock.json', pattern: /^ {2}"version": "([^"]+)"/m },
  { file: 'client/package.json', pattern: /^ {2}"version": "([^"]+)"/m },
  { file: 'client/README.md', pattern: /authservice-client-(\d[^\s"]*)\.tgz/ },
  { file: 'deploy/helm/authservice/Chart.yaml', pattern: /^version: (.+)$/m },
  { file: 'deploy/helm/authservice/Chart.yaml', pattern: /^appVersion: (.+)$/m },
  {
    file: 'test/sdk/consumers/java/first/pom.xml',
    pattern: /<artifactId>authservice-grpc<\/artifactId>\s*<version>([^<]+)</,
  },
  { file: 'sdk/proto/README.md', pattern: /authservice-proto-(\d[^\s"]*)\.tar\.gz/ },
  ...['examples/spring-boot-starter/pom.xml', 'examples/spring-boot-starter/pom-3.5.xml'].map((file) => ({
    file,
    pattern: /<authservice\.version>([^<]+)</,
  })),
];

/** The version of package.json. */
export function projectVersion(project: string): string {
  return (JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Returns a line for each file whose version differs, or that does not name one. */
export function versionProblems(project: string, copies: readonly Copy[] = VERSION_COPIES): string[] {
  const version = projectVersion(project);
  return copies.flatMap(({ file, pattern }) => {
    const path = join(project, file);
    if (!existsSync(path)) return [`${file} is missing`];
    const found = pattern.exec(readFileSync(path, 'utf8'))?.[1];
    return found === version ? [] : [`${file} has the version ${found ?? 'none'}, package.json has ${version}`];
  });
}
