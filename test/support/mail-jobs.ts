// The outbox of a test database and the job that sends its mails.
import { pino } from 'pino';
import { loadTemplates } from '../../src/auth/mail/load-templates.ts';
import { createOutbox } from '../../src/auth/mail/outbox.ts';
import { createOutboxStore } from '../../src/auth/mail/outbox-store.ts';
import { createMailSender, type MailSenderOptions } from '../../src/auth/mail/send-mails.ts';
import { createTransport } from '../../src/auth/mail/transport.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { TestClock } from './clock.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './key-encryption-key.ts';

export const encryption = createKeyEncryption(TEST_KEY_ENCRYPTION_KEY);
export const publicUrl = 'https://auth.shop.test';
/** Longer than a busy machine takes. */
const TIMEOUTS = { connectMs: 20_000, idleMs: 20_000, totalMs: 20_000 };

/** A line of the log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
}

const tenantOf: MailSenderOptions['findTenant'] = async (tenantId) => ({
  name: tenantId ?? 'my-shop',
  language: tenantId === 'acme' ? 'de' : 'en',
});

/** Uses the outbox of a database. The lines of the log are added to `lines`. */
export function openMailJobs(database: Database, clock: Pick<TestClock, 'now'>, lines: LogLine[], timeouts = TIMEOUTS) {
  function sender(url: string, findTenant = tenantOf) {
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
    return createMailSender({
      database,
      encryption,
      transport: createTransport({ url, from: 'no-reply@shop.test', publicUrl, timeouts }),
      templates: loadTemplates(undefined),
      findTenant,
      clock: clock.now,
      log,
    });
  }
  return {
    sender,
    /** Adds the mail of a recovery. */
    add: (to = 'ann@shop.test', username = 'ann', tenantId: string | undefined = 'globex') =>
      database.transaction(UNLIMITED, (tx) =>
        createOutbox({ encryption, publicUrl, clock: clock.now }).add(tx, {
          tenantId,
          template: 'recovery',
          to,
          values: { username, link: `${publicUrl}/recover#token=abc` },
        }),
      ),
    /** Sends the mails that are due. */
    send: (url: string) => sender(url).sendDue(new AbortController().signal),
    list: () => createOutboxStore(database).list(),
    warnings: () => lines.filter(({ level }) => level >= 40).map(({ msg }) => msg),
  };
}
