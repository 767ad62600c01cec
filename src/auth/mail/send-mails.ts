// The job that sends the mails of the outbox, under a lease. An attempt is stored before it begins, so that a mail whose attempt
// ended with its process is known to be possibly sent.
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { backgroundOf } from '../../platform/jobs/background.ts';
import { createBatchSize } from '../../platform/jobs/batch-size.ts';
import { intervalJob } from '../../platform/jobs/interval-job.ts';
import { gauge, samplesBy, type Metric } from '../../platform/metric.ts';
import type { Language } from '../access/policy/policy-fields.ts';
import type { KeyEncryption } from '../keys/key-encryption.ts';
import { describeFactors } from './factor-lines.ts';
import type { Templates } from './load-templates.ts';
import { readMail } from './outbox.ts';
import { COUNTED_TO, createOutboxStore, type OutboxStats, type WaitingMail } from './outbox-store.ts';
import { renderMail } from './render-mail.ts';
import { TEMPLATE_NAMES, type TemplateName } from './template.ts';
import { MAX_ATTEMPT_MS, type Delivery, type Transport } from './transport.ts';

/** The tenant of a mail, as its receiver sees it. */
export interface MailTenant {
  readonly name: string;
  readonly language: Language;
}

export interface MailSenderOptions {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly transport: Transport;
  readonly templates: Templates;
  readonly findTenant: (tenantId: string | undefined) => Promise<MailTenant>;
  readonly clock: Clock;
  readonly log: Logger;
  /** How often due mails are sent, in milliseconds. Default: a second. */
  readonly intervalMs?: number | undefined;
}

const INTERVAL_MS = 1_000;
/** A server that hangs must not use up the time in which a process stops. */
const STOP_MS = 3_000;
/** Longer than an attempt and its statements. */
const LEASE_MS = MAX_ATTEMPT_MS + 30_000;
/** Mails that are sent at the same time. */
const AT_ONCE = 5;
/** Mails to nobody that a statement deletes. Strangers can request any number. */
const DISCARDED_AT_A_TIME = { min: 50, max: 500 };
/** Mails that are read at a time. Their order needs all that are due. */
const AT_A_TIME = 100;
/** Mails that are older were left while no process sent mails, and are of no use any more. */
const LATE_MS = 3600_000;
const KEPT_DEAD_MS = 30 * 24 * 3600_000;
const STATS_INTERVAL_MS = 10_000;
const FIRST_PAUSES_MS = [5_000, 15_000, 45_000];
const LONGEST_PAUSE_MS = 3_600_000;

export function createMailSender(options: MailSenderOptions) {
  const { encryption, transport, templates, findTenant, clock, log } = options;
  const database = backgroundOf(options.database);
  const store = createOutboxStore(database);
  const discarding = createBatchSize(DISCARDED_AT_A_TIME);
  const counts = { sent: 0, failed: 0, dead: 0 };
  let stats: OutboxStats = { waiting: 0, dead: 0, oldestAt: undefined };
  let statsAt = -Infinity;

  const job = intervalJob({
    name: 'mail',
    database,
    clock,
    intervalMs: options.intervalMs ?? INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'run' },
    async begin(): Promise<WaitingMail[] | undefined> {
      await refreshStats();
      return (await store.isDue(clock())) ? [] : undefined;
    },
    /** Reads due mails, or sends some of those that were read. */
    async batch(due, { signal }) {
      if (due.length === 0) {
        const areAllDiscarded = await discard();
        due.push(...(await store.findDue(clock(), AT_A_TIME)));
        await refreshStats();
        return { count: 0, hasMore: due.length > 0 || !areAllDiscarded };
      }
      // All end before the lease does, also if one fails.
      const outcomes = await Promise.allSettled(due.splice(0, AT_ONCE).map((mail) => attempt(mail, signal)));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      return { count: outcomes.length, hasMore: true };
    },
    graceMs: STOP_MS,
    lag: {
      name: 'mails_oldest_seconds',
      help: 'Age of the oldest waiting mail, in seconds.',
      since: () => stats.oldestAt ?? Infinity,
    },
    failure: 'mails could not be sent, the next interval tries again',
  });

  /** Deletes some mails that belong to no account. Returns whether these were the last. */
  async function discard(): Promise<boolean> {
    const limit = discarding.rows;
    const before = database.slices.usedMs;
    const count = await store.discard(limit);
    discarding.adapt(database.slices.usedMs - before);
    return count < limit;
  }

  async function refreshStats(): Promise<void> {
    if (performance.now() - statsAt < STATS_INTERVAL_MS) return;
    statsAt = performance.now();
    stats = await store.stats();
  }

  async function attempt(mail: WaitingMail, stopping: AbortSignal): Promise<void> {
    const { id, tenantId, template, giveUpAt } = mail;
    const number = mail.attempts + 1;
    const now = clock();
    if (now > giveUpAt + LATE_MS) return giveUp(mail, 'it waited too long');
    const nextAt = nextAttemptAt(number, now, giveUpAt);
    // A tenant that cannot be read delays its own mails only.
    const tenant = await findTenant(tenantId).catch((error: unknown) => failed(error, false));
    if (!(await store.begin(mail, now, nextAt ?? giveUpAt))) return;
    const delivery = 'kind' in tenant ? tenant : await deliver(mail, tenant, stopping);
    const fields = { mail: id, template, tenantId, attempt: number };
    if (delivery.kind === 'sent') {
      await store.remove(mail);
      counts.sent += 1;
      if (mail.attemptAt === undefined) log.info(fields, 'mail sent');
      else log.warn(fields, 'mail sent, perhaps twice: the outcome of an earlier attempt is unknown');
      return;
    }
    const { isPermanent, isUnknown, error } = delivery;
    const again = isPermanent ? undefined : nextAt;
    const expiresAt = again === undefined ? clock() + KEPT_DEAD_MS : undefined;
    await store.recordFailure(mail, { nextAt: again, expiresAt, error, isUnknown });
    counts[again === undefined ? 'dead' : 'failed'] += 1;
    if (again === undefined) log.error({ ...fields, reason: error }, 'mail given up');
    else log.warn({ ...fields, reason: error, nextAt: new Date(again).toISOString() }, 'mail not sent');
  }

  async function giveUp(mail: WaitingMail, error: string): Promise<void> {
    const { id: mailId, template, tenantId } = mail;
    await store.recordFailure(mail, { nextAt: undefined, expiresAt: clock() + KEPT_DEAD_MS, error, isUnknown: false });
    counts.dead += 1;
    log.error({ mail: mailId, template, tenantId, reason: error }, 'mail given up');
  }

  /** A mail that cannot be read or rendered is given up: it would fail at each attempt. */
  async function deliver(mail: WaitingMail, tenant: MailTenant, stopping: AbortSignal): Promise<Delivery> {
    const { id, createdAt } = mail;
    const { name } = tenant;
    let rendered;
    try {
      const { to, values, factors, language = tenant.language } = readMail(encryption, mail);
      const template = templates(language, templateNamed(mail.template));
      const lists = factors && { factors: describeFactors(language, factors) };
      rendered = { ...renderMail(template, language, { ...values, tenant: name }, lists), to };
    } catch (error) {
      return failed(error, true);
    }
    return transport.deliver({ ...rendered, id, createdAt }, stopping);
  }

  return {
    ...job,
    /** Sends the due mails, unless another process does. */
    sendDue: job.run,
    metrics: createMetrics(),
  };

  function createMetrics(): readonly Metric[] {
    return [
      {
        name: 'mail_attempts_total',
        help: 'Attempts to send a mail, by result.',
        type: 'counter',
        labelNames: ['result'],
        read: () => samplesBy('result', counts),
      },
      ofAllProcesses(gauge('mails_waiting', `Mails that wait to be sent, at most ${COUNTED_TO}.`, () => stats.waiting)),
      ofAllProcesses(
        gauge('mails_dead', `Mails that were given up in the last 30 days, at most ${COUNTED_TO}.`, () => stats.dead),
      ),
      ...job.metrics,
    ];
  }
}

/** Returns the outcome of an attempt that did not reach the mail server. */
function failed(error: unknown, isPermanent: boolean): Delivery {
  return { kind: 'failed', error: (error as Error).message, isPermanent, isUnknown: false };
}

/** All processes read the same table. */
const ofAllProcesses = (metric: Metric): Metric => ({ ...metric, aggregator: 'max' });

function templateNamed(name: string): TemplateName {
  const found = TEMPLATE_NAMES.find((known) => known === name);
  if (found === undefined) throw new Error(`no template ${name}`);
  return found;
}

/** Returns the pause after an attempt, in milliseconds: 5 s, 15 s, 45 s, then doubling up to an hour. */
function pauseAfterAttempt(attempt: number): number {
  const last = FIRST_PAUSES_MS.length;
  const known = FIRST_PAUSES_MS[attempt - 1];
  return known ?? Math.min(FIRST_PAUSES_MS[last - 1]! * 2 ** (attempt - last), LONGEST_PAUSE_MS);
}

/** Returns the time of the next attempt; undefined if the mail is given up. */
function nextAttemptAt(attempt: number, now: number, giveUpAt: number): number | undefined {
  const next = now + pauseAfterAttempt(attempt);
  return next < giveUpAt ? next : undefined;
}
