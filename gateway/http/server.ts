// HTTP itself: server, limits, bodies, uploads, headers, paging, entity tags.
// Imported by gateway/contract, auth, business and root.
import Fastify, { LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { MONEY_FORMAT } from '../schema/money.ts';
import { isTimeBound } from '../schema/time-bounds.ts';
import { DOCUMENTED } from '../schema/documented.ts';
import { clientErrorHandler, tooManyConnections } from './client-error.ts';
import type { ErrorFormatter } from '../errors/error-formats.ts';
import type { HandleError } from '../errors/error-handler.ts';
import type { Disclosure } from '../errors/failure.ts';
import { invalidFields } from '../errors/gateway-error.ts';
import { violationsOf } from '../schema/violations.ts';
import { proxyCheck } from './client-address.ts';
import { LAZY_COMPILERS } from '../schema/lazy-schemas.ts';
import { createListener, MAX_HEADER_BYTES } from './listener.ts';
import type { GuardConnections } from './listener.ts';
import { requestId } from './request-id.ts';

/** Bytes of a request body, unless a route allows more. */
const MAX_BODY_BYTES = 65_536;

export interface ServerOptions {
  readonly log: FastifyBaseLogger;
  readonly disclosure: Disclosure;
  readonly handleError: HandleError;
  readonly errorForms: ErrorFormatter;
  readonly guard: GuardConnections | undefined;
  /** IP addresses and CIDR ranges whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Turns the target of a request into the one that is routed. */
  readonly rewriteUrl: (request: Pick<IncomingMessage, 'url'>) => string;
}

/** Makes a server without routes and hooks. Whatever fails in it is answered by `handleError`, or on the bare socket. */
export function createServer({
  log,
  disclosure,
  handleError,
  errorForms,
  guard,
  trustedProxies,
  rewriteUrl,
}: ServerOptions): FastifyInstance {
  const handleClientError = clientErrorHandler(errorForms, disclosure);
  const busyAnswer = tooManyConnections(errorForms, disclosure);
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // Most requests log nothing; the lines of those that do name their request themselves.
    childLoggerFactory: (logger) => logger,
    trustProxy: trustedProxies.length > 0 ? proxyCheck(trustedProxies) : false,
    rewriteUrl,
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: (handle) => createListener(handle, { refuse: handleClientError, guard, busyAnswer }),
    // As long as a whole header: an id that is too long is simply not found.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    forceCloseConnections: 'idle',
    // During shutdown requests are still served, on connections that then close.
    return503OnClosing: false,
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
        formats: { money: MONEY_FORMAT, 'time-bound': isTimeBound },
        keywords: [DOCUMENTED],
      },
    },
    schemaController: { compilersFactory: LAZY_COMPILERS },
    schemaErrorFormatter: (errors) => invalidFields(violationsOf(errors)),
    frameworkErrors: handleError,
    // Fastify would ask it for one of the addresses only; every listener asks its own.
    clientErrorHandler: () => {},
  });

  app.setErrorHandler(handleError);
  return app;
}
