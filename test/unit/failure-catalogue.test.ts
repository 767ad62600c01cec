// The catalogue of failures agrees with the proto, and its codes and texts occur in no other file.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CATALOGUE, MISSING_LOGIN_CREDENTIALS, REASONS } from '../../src/platform/problem/catalogue.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const readSource = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

/** The gRPC status that the proto's comment on a reason names, by the reason. */
function documentedStatuses(proto: string): Record<string, string | undefined> {
  const reasons = proto.matchAll(/((?: +\/\/.*\n)+) +REASON_(\w+) = [1-9]/g);
  return Object.fromEntries(
    [...reasons].map(([, comment = '', name]) => {
      const text = comment.replaceAll(/\s*\/\/\s*/g, ' ');
      return [name, /(?:^|[.;] )([A-Z]{2,}(?:_[A-Z]+)*)(?:\.|,)/.exec(text)?.[1]];
    }),
  );
}

/** Texts and codes that the catalogue says and no other file may say again. */
function catalogueTexts(): string[] {
  const kinds = Object.values(CATALOGUE);
  const texts = kinds.flatMap(({ code, detail, profileBCode }) => [code, detail, profileBCode ?? code]);
  return [...new Set([...texts, MISSING_LOGIN_CREDENTIALS])];
}

/** The sources that hold one of the texts as a string of its own, each with that text. */
function repetitions(sources: readonly { readonly path: string; readonly text: string }[]): string[] {
  const quoted = catalogueTexts().map((text) => [text, [`'${text}'`, `"${text}"`]] as const);
  return sources.flatMap(({ path, text }) =>
    quoted.filter(([, forms]) => forms.some((form) => text.includes(form))).map(([said]) => `${path}: ${said}`),
  );
}

describe('the catalogue of failures', () => {
  it("has the gRPC status of the proto's comment for every reason", () => {
    const documented = documentedStatuses(readSource('proto/authservice/error/v1/reason.proto'));
    const listed = Object.entries(REASONS).map(([name, { grpcStatus }]) => [name, grpcStatus]);
    expect(documented).toEqual(Object.fromEntries(listed));
  });

  it('is the only file with these codes and texts', () => {
    const paths = globSync('{src,gateway}/**/*.ts', { cwd: ROOT, exclude: ['src/platform/problem/*'] });
    expect(paths.length).toBeGreaterThan(300);
    expect(repetitions(paths.map((path) => ({ path, text: readSource(path) })))).toEqual([]);
  });

  it('detects a duplicate code and a duplicate text', () => {
    const text = `throw new Refusal('tenant-mismatch', "The tenant is not the caller's");`;
    expect(repetitions([{ path: 'a.ts', text }])).toEqual([
      'a.ts: tenant-mismatch',
      "a.ts: The tenant is not the caller's",
    ]);
  });
});
