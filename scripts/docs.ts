// Writes the generated documents: `npm run docs`. With --check, it writes nothing, and also checks the links, names and tests in the
// documents. All problems are printed.
const GENERATORS = [
  'settings-doc',
  'chart-schema',
  'rpc-doc',
  'errors-doc',
  'metrics-doc',
  'dashboard',
  'cli-doc',
  'notices',
  'doc-snippets',
  'site-doc',
];
const CHECKS = ['doc-links', 'doc-names', 'doc-tests', 'doc-blocks', 'doc-dependencies', 'doc-versions'];

for (const name of [...GENERATORS, ...(process.argv.includes('--check') ? CHECKS : [])]) await import(`./${name}.ts`);
