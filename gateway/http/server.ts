// HTTP itself: server, limits, bodies, uploads, headers, paging, entity tags.
import Fastify from 'fastify';
import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { MONEY_FORMAT } from '../schema/money.ts';
import { isTimeBound } from '../schema/time-bounds.ts';
import { DOCUMENTED } from '../schema/documented.ts';
import { clientErrorHandler, tooManyConnections } from './client-error.ts';
import type { ErrorFormatOf } from '../errors/error-formats.ts';
import type { HandleError } from '../errors/error-handler.ts';
import type { Disclosure } from '../errors/failure.ts';
import { invalidFields } from '../errors/gateway-error.ts';
import { violationsOf } from '../schema/violations.ts';
import { proxyCheck } from './client-address.ts';
import { lazyCompilers } from '../schema/lazy-schemas.ts';
import { type GuardConnections, MAX_HEADER_BYTES, createListener } from './listener.ts';

/** Maximum size of a request body in bytes. Routes can set another limit. */
const MAX_BODY_BYTES = 65_536;

/** All public servers of the process have the same options for schemas. */
const COMPILERS = lazyCompilers();

export interface ServerOptions {
  readonly disclosure: Disclosure;
  readonly handleError: HandleError;
  readonly formatOf: ErrorFormatOf;
  readonly guard: GuardConnections | undefined;
  readonly onOverflow: () => void;
  /** IP addresses and CIDR ranges whose X-Forwarded-* headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Rewrites a request target before routing. */
  readonly rewriteUrl: (request: Pick<IncomingMessage, 'url' | 'headers'>) => string;
  /** How long a connection must be quiet before the closing server ends it. */
  readonly quietMs: number;
}

/**
 * Creates a server without routes and hooks. `handleError` responds to errors. Input that is not a request gets its response on
 * the socket.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { disclosure, handleError, formatOf, guard, onOverflow, trustedProxies, rewriteUrl, quietMs } = options;
  const handleClientError = clientErrorHandler(formatOf, disclosure);
  const busyResponse = tooManyConnections(formatOf, disclosure);
  const app: FastifyInstance = Fastify({
    // With a logger, Fastify would create a child of it and listeners for each request. Handlers log by the log of the process.
    // So what Fastify itself reports, such as a second response of a handler, is not logged.
    logger: false,
    genReqId: requestId,
    trustProxy: trustedProxies.length > 0 ? proxyCheck(trustedProxies) : false,
    rewriteUrl,
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: (handle) =>
      createListener(handle, { refuse: handleClientError, guard, onOverflow, busyResponse, quietMs }),
    // No limit below the header size: an id that is too long is NOT_FOUND.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    forceCloseConnections: 'idle',
    // During shutdown, requests are still served. Their connections are closed afterwards.
    return503OnClosing: false,
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
        // A test checks the schemas. Here, compiling the schema of schemas would block the event loop for 50 ms at the first request.
        meta: false,
        validateSchema: false,
        formats: { money: MONEY_FORMAT, 'time-bound': isTimeBound },
        keywords: [DOCUMENTED],
      },
    },
    schemaController: { compilersFactory: COMPILERS },
    schemaErrorFormatter: (errors) => invalidFields(violationsOf(errors)),
    frameworkErrors: handleError,
    // Fastify adds this handler to one address only. Each listener has its own handler instead.
    clientErrorHandler: () => {},
  });

  app.setErrorHandler(handleError);
  return app;
}

const USABLE = /^[\w.:-]{1,64}$/;

/** Returns the client's X-Request-Id if it is valid, else a new UUID. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const received = headers['x-request-id'];
  return typeof received === 'string' && USABLE.test(received) ? received : randomUUID();
}
