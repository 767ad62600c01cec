/** The tests that run the commands of a page with `<!-- run NAME -->`. They read them from the page. */
export const PAGE_TESTS: Readonly<Record<string, string>> = {
  'README.md': 'test/process/documented-commands.test.ts',
  'docs/administration.md': 'test/process/documented-commands.test.ts',
  'docs/deployment.md': 'test/process/documented-commands.test.ts',
  'docs/files.md': 'test/process/documented-commands.test.ts',
  'docs/getting-started.md': 'test/process/documented-commands.test.ts',
  'docs/helm.md': 'test/deploy/helm.test.ts',
  'docs/machine-clients.md': 'test/process/documented-commands.test.ts',
  'docs/mail.md': 'test/process/documented-commands.test.ts',
  'docs/operations.md': 'test/process/documented-commands.test.ts',
  'docs/upgrading.md': 'test/process/documented-commands.test.ts',
  'docs/webhooks.md': 'test/process/documented-commands.test.ts',
  'site/index.md': 'test/process/documented-commands.test.ts',
  'docs/grpc-clients.md': 'test/languages/doc-commands.ts',
  'docs/terraform.md': 'test/process/terraform-page.test.ts',
  'docs/second-factors.md': 'test/process/second-factors-page.test.ts',
};
