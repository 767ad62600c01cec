// snippet:start express
import express, { type Request, type RequestHandler } from 'express';
import { authenticate, type Caller, type Check, hasPermission, hasRole } from './access-token.ts';

const callers = new WeakMap<Request, Caller>();

/** The account of the caller. Every request that passes the middleware has one. */
const callerOf = (request: Request): Caller => callers.get(request)!;

/** Accepts requests with a valid access token. */
const authentication =
  (check: Check): RequestHandler =>
  async (request, response, next) => {
    const caller = await authenticate(check, request.get('authorization'));
    if (caller === 401) response.set('WWW-Authenticate', 'Bearer');
    if (typeof caller === 'number') return void response.sendStatus(caller);
    callers.set(request, caller);
    next();
  };

/** Accepts callers that satisfy the rule. */
const demand =
  (rule: (caller: Caller) => boolean): RequestHandler =>
  (request, response, next) =>
    rule(callerOf(request)) ? next() : void response.sendStatus(403);

export const expressApp = (check: Check) =>
  express()
    .use(authentication(check))
    .get('/me', (request, response) => void response.json(callerOf(request)))
    .get('/admin', demand(hasRole('ROLE_ADMIN')), (_, response) => void response.json([]))
    .get('/users', demand(hasPermission('MANAGE_USERS')), (_, response) => void response.json([]));
// snippet:end
