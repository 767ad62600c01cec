import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { invalidFields } from '../errors/gateway-error.ts';
import { innerMessage, type Member } from './members.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/**
 * Creates a hook that rejects a list with too many objects before the schema validates each object. Only routes with a larger
 * body limit need it.
 */
export function refuseLongLists(members: readonly Member[]): Hook[] {
  const lists = members.filter(({ field }) => field.fieldKind === 'list' && innerMessage(field));
  if (lists.length === 0) return [];
  const hook: Hook = ({ body }, _reply, done) => {
    const given = (body ?? {}) as Readonly<Record<string, unknown>>;
    const long = lists.find(({ name, rule }) => Array.isArray(given[name]) && given[name].length > rule.items);
    if (long === undefined) return done();
    const { name, rule } = long;
    const message = `must NOT have more than ${rule.items} items`;
    const violation = { message, format: 'maxItems', props: [name], params: { limit: rule.items } };
    done(invalidFields([violation]));
  };
  return [hook];
}
