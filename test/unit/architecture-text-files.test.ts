// Text files of operators are read with readText, which replaces no bytes.
import { file, testRules, type Source } from './architecture.ts';

/** They read files of the program, of Linux, or of locks. */
const OWN_FILES: readonly string[] = [
  'cli/core/credentials-file.ts',
  'gateway/contract/contracts.ts',
  'gateway/dev/dev-mail.ts',
  'gateway/dev/dev-pages.ts',
  'gateway/pages/page-files.ts',
  'src/platform/original-stack.ts',
  'src/platform/process/create-connection-limits.ts',
  'src/platform/process/usage.ts',
];
const REPLACES = /readFile(?:Sync)?\([^;]*?'utf-?8'|\.setEncoding\('utf/;

testRules([
  {
    name: 'src, gateway and cli read text files with readText',
    violations: (sources: readonly Source[]) =>
      sources
        .filter(({ path }) => /^(?:src|gateway|cli)\//.test(path) && !OWN_FILES.includes(path))
        .flatMap(({ path, text }) => (REPLACES.test(text) ? [path] : [])),
    counterexample: [file('cli/example.ts', "const text = readFileSync(path, 'utf8');")],
  },
]);
