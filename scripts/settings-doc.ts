// Writes docs/reference/settings.md from the schema. With --check, it writes nothing and fails if the page differs.
import { environmentName, SETTING_NAMES, settingOf } from '../src/platform/config/schema.ts';
import type { SettingName } from '../src/platform/config/schema.ts';
import { writePage } from './write-page.ts';

const INTRODUCTION = `# Settings

Generated from \`src/platform/config/schema.ts\` by \`scripts/settings-doc.ts\`; change it there.

A setting can come from four sources. A later source overrides an earlier one:

1. The defaults below.
2. A YAML file: \`--config FILE\`, else \`application.yaml\` in the working directory. Keys are nested, flat with dots, or mixed.
3. Environment variables: the name in upper case, with \`_\` instead of \`.\` and \`-\`. A variable whose name ends with \`_FILE\` names a
   file that contains the value. One newline at the end of the file is removed.
4. Flags: \`--app.http.port=8081\`, with the value in the same argument.

- Unknown keys in the file, unknown flags and invalid values stop the start. All problems are reported at once.
- An unknown \`APP_*\` variable causes a warning.
- An empty value means \`none\` if the setting accepts \`none\`.
- A setting for a PEM file contains its path (\`APP_RPC_TLS_KEY=/etc/tls/key.pem\`), not its content.
- Kubernetes sets \`APP_HTTP_PORT=tcp://…\` in pods beside a Service called \`app-http\`. Use another name for that Service, or set
  \`enableServiceLinks: false\`.

\`npm run -s cli -- config print\` shows the effective settings with their sources. It masks secrets.

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
writePage('docs/reference/settings.md', page);
