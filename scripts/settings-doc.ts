// Writes docs/settings.md from the schema; with --check, only fails when the page differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { environmentName, SETTING_NAMES, settingOf } from '../src/config/schema.ts';
import type { SettingName } from '../src/config/schema.ts';

const PAGE = new URL('../docs/settings.md', import.meta.url);

const INTRODUCTION = `# Settings

Generated from \`src/config/schema.ts\` by \`scripts/settings-doc.ts\`; change it there.

Sources, weakest first; the last one that speaks wins:

1. the defaults below;
2. a YAML file: \`--config FILE\`, else \`application.yaml\` in the working directory where there is one; nested, with flat
   dotted keys, or mixed;
3. environment variables: the name in upper case, \`.\` and \`-\` as \`_\`; with \`_FILE\` at the end the variable names a file
   that holds the value (one newline at its end is dropped);
4. flags: \`--app.http.port=8081\`, with the value in the same argument.

Unknown keys in the file or among the flags and bad values anywhere stop the start, all reported at once. Unknown \`APP_*\`
variables only warn. An empty value is \`none\` where \`none\` is accepted. Kubernetes injects \`APP_HTTP_PORT=tcp://…\` into
pods beside a Service called \`app-http\`: use another name there, or \`enableServiceLinks: false\`.

Settings that name a PEM file hold its path (\`APP_RPC_TLS_KEY=/etc/tls/key.pem\`), not its content.

\`node cli/main.ts config print [flags]\` shows the effective settings with their sources, secrets masked.

`;

function section(name: SettingName): string {
  const { kind, default: fallback, owner, secret, doc } = settingOf(name);
  const readBy = { gateway: 'the gateway', core: 'the core', both: 'gateway and core' }[owner];
  const rows = [
    `Default: ${typeof fallback === 'string' ? `\`${fallback}\`` : fallback.rule}`,
    `Accepts: ${kind.accepts}`,
    `Variable: \`${environmentName(name)}\``,
    `Read by: ${readBy}`,
    ...(secret ? ['Secret: masked wherever it is shown'] : []),
  ];
  return `## ${name}\n\n${doc}\n\n${rows.map((row) => `- ${row}\n`).join('')}`;
}

const page = `${INTRODUCTION}${SETTING_NAMES.map(section).join('\n')}`;
if (!process.argv.includes('--check')) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/settings.md differs from the schema; run: node scripts/settings-doc.ts');
  process.exitCode = 1;
}
