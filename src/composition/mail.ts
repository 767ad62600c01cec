import { createMailSender } from '../auth/mail/send-mails.ts';
import { createRateLimit } from '../platform/limits/rate-limit.ts';
import type { MailLimits } from '../auth/mail/mail-limits.ts';
import { createInvitations, type Invitations } from '../auth/identity/invitation/invitations.ts';
import { createMailTokens, type MailTokens } from '../auth/mail/mail-tokens.ts';
import { MAIL_TOKENS_CLEANUP } from '../auth/mail/mail-token-store.ts';
import { listFactors } from '../auth/factors/list-factors.ts';
import { loadTemplates } from '../auth/mail/load-templates.ts';
import { createNotify, type Notify } from '../auth/mail/notices.ts';
import { createOutbox, type Outbox } from '../auth/mail/outbox.ts';
import { MAILS_CLEANUP } from '../auth/mail/outbox-store.ts';
import { createTransport } from '../auth/mail/transport.ts';
import { findTenant } from '../auth/tenancy/tenant-store.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Tokens } from './tokens.ts';

export interface Mail extends Part {
  /** What links in mails need; undefined if mail is off. */
  readonly links: MailLinks | undefined;
  readonly notify: Notify;
}

/** Mails with links, their tokens, and the limits of those that callers can request. */
interface MailLinks {
  readonly outbox: Outbox;
  readonly mailTokens: MailTokens;
  readonly mailLimits: MailLimits;
  readonly invitations: Invitations;
}

const HOUR_MS = 3600_000;
const MAILS_OF_ACCOUNT = 5;
const MAILS_OF_NETWORK = 300;
const MAILS_OF_PROXY = 3_000;

/** The tables exist also if mail is off, so expired rows are deleted. */
const CLEANUP_TARGETS = [MAILS_CLEANUP, MAIL_TOKENS_CLEANUP];

/** Creates the outbox and the job that sends its mails. */
export function createMail(
  foundation: Foundation,
  { encryption }: Pick<Tokens, 'encryption'>,
  intervalMs?: number,
): Mail {
  const { settings, database, policies, clock, log } = foundation;
  const url = settings['app.mail.url'];
  const publicUrl = settings['app.public-url'];
  const from = settings['app.mail.from'];
  // The checks of the settings require the public URL, and the sender's address derives from it.
  if (url === undefined || publicUrl === undefined || from === undefined) {
    return {
      links: undefined,
      notify: createNotify(undefined, listFactors),
      cleanupTargets: CLEANUP_TARGETS,
    };
  }
  const outbox = createOutbox({ encryption, publicUrl, clock });
  const sender = createMailSender({
    database,
    encryption,
    transport: createTransport({ url, from, publicUrl }),
    templates: loadTemplates(settings['app.mail.templates']),
    async findTenant(tenantId) {
      const name = tenantId === undefined ? undefined : (await findTenant(database, tenantId))?.name;
      const { language } = (await policies.load(tenantId)).effective;
      return { name: name ?? settings['app.brand.name'], language };
    },
    clock,
    log,
    intervalMs,
  });
  const limit = (name: string, points: number) =>
    createRateLimit({ name, store: 'database', points, windowMs: HOUR_MS, database, clock, log })!;
  const ofAccount = limit('mail-account', MAILS_OF_ACCOUNT);
  const ofNetwork = limit('mail-network', MAILS_OF_NETWORK);
  const ofProxy = limit('mail-proxy', MAILS_OF_PROXY);
  const ofTenant = limit('mail-tenant', settings['app.mail.requests-per-tenant']);
  const ofNobody = limit('mail-nobody', Number.MAX_SAFE_INTEGER);
  const mailLimits = { ofAccount, ofNetwork, ofProxy, ofTenant, ofNobody };
  const links = { outbox, mailTokens: createMailTokens({ database, clock }), mailLimits };
  return {
    links: { ...links, invitations: createInvitations({ ...links, clock }) },
    notify: createNotify(settings['app.mail.notices'] ? outbox : undefined, listFactors),
    jobs: [sender],
    metrics: [sender, ofAccount, ofNetwork, ofProxy, ofTenant].flatMap(({ metrics }) => metrics),
    cleanupTargets: CLEANUP_TARGETS,
  };
}
