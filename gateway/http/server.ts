// The HTTP server itself: limits, timeouts, and that whatever fails in it is answered in the service's own form.
import Fastify, { LogController } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { MONEY_FORMAT } from '../business/money.ts';
import { clientErrorHandler } from '../errors/client-error.ts';
import type { ErrorForms, SendFailure } from '../errors/dialects.ts';
import { errorHandler } from '../errors/error-handler.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { DisclosureMode } from '../errors/problem.ts';
import { violationsOf } from '../errors/violations.ts';
import { LAZY_COMPILERS } from './lazy-schemas.ts';
import { requestId } from './request-id.ts';

/** Bytes of a request's line and header together. */
const MAX_HEADER_BYTES = 16_384;
/** Bytes of a request body, unless a route allows more. */
const MAX_BODY_BYTES = 65_536;

/** All in milliseconds. */
const TIMEOUTS = {
  /** For a request's header to arrive. */
  header: 10_000,
  /** For a whole request to arrive. */
  request: 15_000,
  /** How often the two above are looked at. */
  checkInterval: 1_000,
  /** For a connection on which nothing moves while a request is under way. */
  connection: 30_000,
  /** For a connection between two requests; longer than load balancers keep theirs. */
  keepAlive: 72_000,
} as const;

export interface ServerOptions {
  readonly log: FastifyBaseLogger;
  readonly disclosure: DisclosureMode;
  readonly sendFailure: SendFailure;
  readonly errorForms: ErrorForms;
  /** IP addresses and CIDR ranges whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Turns the target of a request into the one that is routed. */
  readonly rewriteUrl: ((request: IncomingMessage) => string) | undefined;
}

/** Two more answers without a body that Node gives by itself: to an unknown Expect header, and to CONNECT. */
function answerWhatNodeWould({ server }: FastifyInstance, refuse: (error: Error, socket: Duplex) => void): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('connect', (_request, socket) => refuse(new Error('CONNECT is not served'), socket));
}

/** Makes a server without routes and hooks. Whatever fails in it is answered by `sendFailure`, or on the bare socket. */
export function createServer({
  log,
  disclosure,
  sendFailure,
  errorForms,
  trustedProxies,
  rewriteUrl,
}: ServerOptions): FastifyInstance {
  const handleError = errorHandler(sendFailure);
  const handleClientError = clientErrorHandler(errorForms, disclosure);
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // Most requests log nothing; the lines of those that do name their request themselves.
    childLoggerFactory: (logger) => logger,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    ...(rewriteUrl && { rewriteUrl }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: TIMEOUTS.request,
    connectionTimeout: TIMEOUTS.connection,
    keepAliveTimeout: TIMEOUTS.keepAlive,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: TIMEOUTS.header,
      connectionsCheckingInterval: TIMEOUTS.checkInterval,
      // Node's own refusal has no body; the hooks of every request refuse it instead.
      requireHostHeader: false,
    },
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
        formats: { money: MONEY_FORMAT },
      },
    },
    schemaController: { compilersFactory: LAZY_COMPILERS },
    schemaErrorFormatter: (errors) =>
      new GatewayError('VALIDATION_ERROR', 'Request validation failed', violationsOf(errors)),
    frameworkErrors: handleError,
    clientErrorHandler: handleClientError,
  });

  app.setErrorHandler(handleError);
  answerWhatNodeWould(app, handleClientError);
  return app;
}
