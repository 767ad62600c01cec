// Reads the project's files and their imports, and tests rules about them.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Source {
  /** Relative to the project's root. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** The path of a project file, otherwise the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
}

export interface Rule {
  readonly name: string;
  /** Returns descriptions of the violations. */
  readonly violations: (sources: readonly Source[]) => string[];
  /** Files that violate the rule. They detect a rule that finds nothing. */
  readonly counterexample: readonly Source[];
  /** The files that it holds for. Default: those of the service. */
  readonly of?: readonly Source[];
}

/** The files that put the core together; they may import all of it. */
export const COMPOSITION = /^src\/(?:[^/]+|composition\/[^/]+)\.ts$/;

/** The files that may contain SQL: stores, and stores with other names. */
export const STORE =
  /^(?!gateway\/|src\/platform\/files\/).*-store\.ts$|^(?:migrations|src\/platform\/db|src\/platform\/jobs)\/|^src\/auth\/(?:identity\/authentication\/account-lock|tenancy\/lock-tenant|token\/(?:blacklist|revocations))\.ts$/;

export const STATIC_IMPORT = /^(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC_IMPORT = /(?:\bimport|\brequire|createRequire\(import\.meta\.url\))\('([^']+)'\)/g;

/** Returns the name of a package in package.json. */
export function packageOf(specifier: string): string {
  const depth = specifier.startsWith('@') ? 2 : 1;
  return specifier.startsWith('node:') ? specifier : specifier.split('/').slice(0, depth).join('/');
}

export function importsOf({ path, text }: Source): Import[] {
  const target = (specifier: string) =>
    specifier.startsWith('.') ? join(dirname(path), specifier) : packageOf(specifier);
  return [
    ...[...text.matchAll(STATIC_IMPORT)].map(([, type, to]) => ({
      from: path,
      to: target(to!),
      typeOnly: type !== undefined,
    })),
    ...[...text.matchAll(DYNAMIC_IMPORT)].map(([, to]) => ({ from: path, to: target(to!), typeOnly: false })),
  ];
}

export const isProjectFile = ({ to }: Import): boolean => /\.tsx?$/.test(to);

/** Creates a check that reports each import that is not allowed. */
export function eachImport(isAllowed: (imported: Import) => boolean) {
  return (sources: readonly Source[]): string[] =>
    sources
      .flatMap(importsOf)
      .flatMap((imported) => (isAllowed(imported) ? [] : [`${imported.from} -> ${imported.to}`]));
}

export const file = (path: string, text: string): Source => ({ path, text });

const read = (paths: readonly string[]): readonly Source[] =>
  paths
    .filter((path) => !path.endsWith('.d.ts'))
    .map((path) => file(path.replaceAll('\\', '/'), readFileSync(join(ROOT, path), 'utf8')));

export const sources = read(globSync('{src,gateway,cli,scripts,migrations}/**/*.ts', { cwd: ROOT }));

/** The files of the service, and those of clients, pages and benchmarks. */
export const allSources: readonly Source[] = [
  ...sources,
  ...read(globSync('{client,web,sdk,bench}/**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] })),
];

/** Tests that the project has no violations of the rules except the known ones, and that each rule detects violations. */
export function testRules(rules: readonly Rule[], known: readonly string[] = []): void {
  describe.each(rules)('$name', ({ violations, counterexample, of = sources }) => {
    it('has no violations in the project', () => {
      expect(violations(of).filter((violation) => !known.includes(violation))).toEqual([]);
    });

    it('detects a violation', () => {
      expect(violations(counterexample)).not.toEqual([]);
    });
  });
}
