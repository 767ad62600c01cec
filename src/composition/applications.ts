// What applications are checked against: the settings, and the names of accounts.
import { selectTenantsOfUsernames } from '../auth/identity/account-store.ts';
import { selectNamesOfServiceAccounts } from '../auth/identity/users/account-list-store.ts';
import type { DefinitionsReader } from '../auth/access/roles/definitions.ts';
import type { ApplicationChecks } from '../auth/oauth/applications/add-application.ts';
import type { CommandLineRules } from '../auth/oauth/applications/command-line.ts';
import type { ApplicationRules } from '../auth/oauth/applications/check-application.ts';
import type { Settings } from '../platform/config/settings.ts';
import type { Database } from '../platform/db/types.ts';
import { outsideUrlProblem } from '../platform/http/outside-url.ts';

export function applicationRules(
  settings: Settings,
  { permissionNamed }: Pick<DefinitionsReader, 'permissionNamed'>,
): ApplicationRules {
  return {
    issuer: settings['app.security.jwt.issuer'],
    algorithm: settings['app.security.jwt.algorithm'],
    acceptsLocalHttp: settings['app.env'] !== 'PROD',
    findUrlProblem: outsideUrlProblem,
    permissionNamed,
  };
}

/** Returns what the settings say about the command line as an application. */
export const commandLineRules = (settings: Settings): CommandLineRules => ({
  hasCommandLine: settings['app.oauth.cli'],
  audience: settings['app.security.jwt.audience'],
});

export function applicationChecks(foundation: {
  readonly settings: Settings;
  readonly database: Database;
  readonly definitions: Pick<DefinitionsReader, 'permissionNamed'>;
}): ApplicationChecks {
  const { settings, database, definitions } = foundation;
  const audience = settings['app.security.jwt.audience'].toLowerCase();
  return {
    database,
    rules: applicationRules(settings, definitions),
    isNameTaken: async (tx, name) => {
      const key = name.toLowerCase();
      return key === audience || (await selectTenantsOfUsernames(tx, [key])).size > 0;
    },
    selectServiceAccounts: selectNamesOfServiceAccounts,
  };
}
