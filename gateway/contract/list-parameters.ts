import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Member } from './members.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** Creates a hook that turns a repeatable query parameter that was sent once into a list of one. */
export function listParameters(members: readonly Member[]): Hook[] {
  const names = members.filter(({ field }) => field.fieldKind === 'list').map(({ name }) => name);
  if (names.length === 0) return [];
  const hook: Hook = (request, _reply, done) => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) if (typeof query[name] === 'string') query[name] = [query[name]];
    done();
  };
  return [hook];
}
