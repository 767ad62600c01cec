import { createChallenges } from '../auth/factors/challenges.ts';
import { createConfirmTotp } from '../auth/factors/confirm-totp.ts';
import { createUseCode } from '../auth/factors/use-code.ts';
import type { KeyHandlers } from '../auth/keys/service.ts';
import type { Notify } from '../auth/mail/notices.ts';
import { createAnswerCounts, createConfirmationCounts } from '../auth/session/login/count-answers.ts';
import { LOGIN_CLIENTS_CLEANUP } from '../auth/session/login/login-client-store.ts';
import { createRevocationFeed } from '../auth/session/revocation/revocation-feed.ts';
import {
  createSessionRotation,
  SETTLED_ROTATIONS_CLEANUP,
  type SessionRotation,
} from '../auth/session/rotation/rotate.ts';
import { sessionService } from '../auth/session/service.ts';
import { shortenSession } from '../auth/session/slide-store.ts';
import { SESSIONS_CLEANUP } from '../auth/session/session-store.ts';
import { createBackgroundRetries } from '../platform/concurrency/background-retries.ts';
import { DependencyUnavailableError } from '../platform/errors.ts';
import type { Accounts } from './accounts.ts';
import type { Authentication } from './authentication.ts';
import { factorOptions } from './factors.ts';
import type { Foundation, Part } from './foundation.ts';
import { idTokenAlgorithms, refreshCookie, type Tokens } from './tokens.ts';

interface SessionParts {
  readonly tokens: Tokens;
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly keys: KeyHandlers;
  readonly notify: Notify;
  /** Whether mails are sent. */
  readonly mail: boolean;
}

/** Creates the service of sessions, with their rotation and the writes that it repeats in the background. */
export function createSessions(
  foundation: Foundation,
  { tokens, accounts, authentication, keys: keyHandlers, notify, mail }: SessionParts,
): Part & Pick<SessionRotation, 'isUndecided'> {
  const { settings, database, sessions, policies, audit, clock, log, tracer, refuseSamples, stopping } = foundation;
  const { transports, keys, blacklist, passkeys, totpSecrets } = tokens;
  const { writer, administration, endSession, endSessions, endGrant } = accounts;
  const { endAllSessions, endAllSessionsAlone, endOtherSessions } = accounts;
  const { manager, failureLimits, hasher, checkPassword } = authentication;
  const retries = createBackgroundRetries({
    isTemporary: (error) => error instanceof DependencyUnavailableError,
    onGiveUp: (error) => log.error({ err: error }, 'a background write of sessions was given up'),
  });
  const rotation = createSessionRotation({ database, sessions, clock, tracer, retries });
  const answerCounts = createAnswerCounts();
  const confirmationCounts = createConfirmationCounts();
  const service = sessionService(
    {
      database,
      accounts: foundation.accounts,
      sessions,
      policies,
      runRefusable: foundation.runRefusable,
      audit,
      clock,
      manager,
      failureLimits,
      hasher,
      checkPassword,
      transports,
      keys,
      tokens: tokens.tokens,
      blacklist,
      rotate: rotation.rotate,
      sessionLimits: foundation.sessionLimits,
      shortenSession: (session) => shortenSession(database, session, session),
      retries,
      administration,
      endSession,
      endSessions,
      endGrant,
      endAllSessions,
      endAllSessionsAlone,
      endOtherSessions,
      guardAccount: writer.guard,
      lockAccount: writer.lock,
      lockAccountWithTenant: writer.lockWithTenant,
      notify,
      passkeys,
      totpSecrets,
      useCode: createUseCode({ database, refuseSamples, secrets: totpSecrets, notify }),
      confirmTotp: createConfirmTotp(totpSecrets),
      factorOptions: factorOptions(settings),
      loginChallenges: createChallenges({ store: foundation.challenges, clock }),
      answerCounts,
      confirmationCounts,
      feed: createRevocationFeed({ database, clock, log, stopping }),
      streamsPerAccount: settings['app.security.revocations.streams-per-account'],
      issuer: settings['app.security.jwt.issuer'],
      idTokenAlgorithms: idTokenAlgorithms(settings),
      audience: settings['app.security.jwt.audience'],
      publicUrl: settings['app.public-url'],
      cookie: refreshCookie(settings),
      serviceName: settings['app.brand.name'],
      mail,
      apiKeys: settings['app.security.api-key.enabled'],
    },
    keyHandlers,
  );
  return {
    services: [service],
    isUndecided: rotation.isUndecided,
    cleanupTargets: [SESSIONS_CLEANUP, SETTLED_ROTATIONS_CLEANUP, LOGIN_CLIENTS_CLEANUP],
    jobs: [foundation.sessionLimits.job],
    metrics: [answerCounts.metric, confirmationCounts.metric, ...foundation.sessionLimits.job.metrics],
    async close() {
      await retries.stop();
      await rotation.close();
    },
  };
}
