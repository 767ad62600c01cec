// Writes docs/reference/settings.md from the schema. With --check, it writes nothing and fails if the page differs.
import { environmentName, SETTING_NAMES, settingOf } from '../src/platform/config/schema.ts';
import type { SettingName } from '../src/platform/config/schema.ts';
import { writePage } from './write-page.ts';

const INTRODUCTION = `# Settings

Generated from \`src/platform/config/schema.ts\` by \`scripts/settings-doc.ts\`; change it there.

A setting can come from four sources. A later source overrides an earlier one:

1. The defaults below.
2. A YAML file: \`--config FILE\`, else \`application.yaml\` in the working directory. Keys are nested, flat with dots, or mixed.
3. Environment variables: the name in upper case, with \`_\` instead of \`.\` and \`-\`, such as \`${environmentName('app.http.port')}\`. A
   variable whose name ends with \`_FILE\` names a file that contains the value. One newline at the end of the file is removed.
4. Flags: \`--app.http.port=8081\`, with the value in the same argument.

- The accepted values follow the default: without any, \`true\` or \`false\`. A range without units is one of integers.
- A duration is a number of seconds, or such as \`900s\`, \`15m\`, \`12h\` or \`30d\`. A list is one in YAML, or separated by commas.
- *Core* and *Gateway* at the end name the only process that reads a setting. Secrets are masked wherever they are shown.
- Unknown keys in the file, unknown flags and invalid values stop the start. All problems are reported at once.
- An unknown \`APP_*\` variable causes a warning.
- An empty value means \`none\` if the setting accepts \`none\`.
- A setting for a PEM file contains its path (\`APP_RPC_TLS_KEY=/etc/tls/key.pem\`), not its content.
- Kubernetes sets \`APP_HTTP_PORT=tcp://…\` in pods beside a Service called \`app-http\`. Use another name for that Service, or set
  \`enableServiceLinks: false\`.

\`npm run -s cli -- config print\` shows the effective settings with their sources.

`;

/** Rules that the introduction states once. */
const COMMON = [
  ['a duration such as 900, 900s, 15m, 12h or 30d, from ', ''],
  [' (YAML, or separated by commas)', ''],
  ['an integer from ', ''],
  [/^a (?=list of |file path)/, ''],
] as const;

function section(name: SettingName): string {
  const { kind, default: fallback, owner, secret, doc } = settingOf(name);
  const accepts = COMMON.reduce((text, [long, short]) => text.replace(long, short), kind.accepts);
  const facts = [
    `Default: ${typeof fallback === 'string' ? `\`${fallback}\`` : fallback.rule}.`,
    ...(accepts === '`true` or `false`' ? [] : [`${accepts[0]!.toUpperCase()}${accepts.slice(1)}.`]),
    ...(owner === 'both' ? [] : [owner === 'core' ? 'Core.' : 'Gateway.']),
    ...(secret ? ['Secret.'] : []),
  ];
  return `## ${name}\n\n${doc}\n\n${facts.join(' ')}\n`;
}

const page = `${INTRODUCTION}${SETTING_NAMES.map(section).join('\n')}`;
writePage('docs/reference/settings.md', page);
