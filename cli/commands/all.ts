// All commands. A group of commands has a file.
import type { Command } from '../command.ts';
import { API_KEY_COMMANDS } from './api-keys.ts';
import { APPLICATION_COMMANDS } from './applications.ts';
import { AUDIT_COMMANDS } from './audit.ts';
import { AUDIT_TAIL_COMMAND } from './audit-tail.ts';
import { AUDIT_EVIDENCE_COMMAND } from './audit-evidence.ts';
import { AUDIT_EXPORT_COMMAND } from './audit-export.ts';
import { AUDIT_TRAIL_COMMANDS } from './audit-trail.ts';
import { BACKUP_COMMANDS } from './backup.ts';
import { CLIENT_COMMANDS } from './clients.ts';
import { DATA_COMMANDS } from './data.ts';
import { DEMO_COMMANDS } from './demo.ts';
import { EXPLAIN_COMMANDS } from './explain.ts';
import { FACTOR_COMMANDS } from './factors.ts';
import { IMPORT_COMMANDS } from './import.ts';
import { KEY_COMMANDS } from './keys.ts';
import { LOGIN_COMMANDS } from './login.ts';
import { MACHINE_COMMANDS } from './machine.ts';
import { MAIL_COMMANDS } from './mail.ts';
import { MAIL_LINK_COMMANDS } from './mail-links.ts';
import { MAIL_TOKEN_COMMANDS } from './mail-tokens.ts';
import { MAINTENANCE_COMMANDS } from './maintenance.ts';
import { ROLE_COMMANDS } from './role.ts';
import { SESSION_COMMANDS } from './sessions.ts';
import { TENANT_POLICY_COMMANDS } from './tenant-policy.ts';
import { TENANT_COMMANDS } from './tenants.ts';
import { USER_COMMANDS } from './users.ts';
import { WEBHOOK_COMMANDS } from './webhooks.ts';

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...LOGIN_COMMANDS,
  ...TENANT_COMMANDS,
  ...TENANT_POLICY_COMMANDS,
  ...ROLE_COMMANDS,
  ...USER_COMMANDS,
  ...MAIL_LINK_COMMANDS,
  ...MAIL_TOKEN_COMMANDS,
  ...FACTOR_COMMANDS,
  ...IMPORT_COMMANDS,
  ...SESSION_COMMANDS,
  ...CLIENT_COMMANDS,
  ...API_KEY_COMMANDS,
  ...APPLICATION_COMMANDS,
  ...KEY_COMMANDS,
  ...AUDIT_COMMANDS,
  AUDIT_TAIL_COMMAND,
  AUDIT_EXPORT_COMMAND,
  AUDIT_EVIDENCE_COMMAND,
  ...AUDIT_TRAIL_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...EXPLAIN_COMMANDS,
  ...MAIL_COMMANDS,
  ...MAINTENANCE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...DATA_COMMANDS,
  ...DEMO_COMMANDS,
  ...MACHINE_COMMANDS,
];
