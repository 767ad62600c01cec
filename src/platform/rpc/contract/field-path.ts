// The paths by which google.rpc.BadRequest names fields of a request: in the request's proto, `product.images[0]`.
import type { ToFieldPath } from '../errors/status-details.ts';
import type { DescField, DescMessage } from './descriptors.ts';

/** Messages within messages are searched to this depth. Deeper fields are named from their list or message. */
const MAX_DEPTH = 3;

/**
 * Creates the function for one request message. REST names the fields of nested messages like fields of the request;
 * here each has its full path.
 */
export function compileFieldPath(request: DescMessage): ToFieldPath {
  const found = new Map<string, string>();
  return (props) => {
    const key = props.join('\n');
    const known = found.get(key);
    if (known !== undefined) return known;
    const path = pathOf(request, props) ?? '';
    // Indexes create many distinct keys, so only the first ones are cached.
    if (found.size < 256) found.set(key, path);
    return path;
  };
}

function pathOf(message: DescMessage, [first, ...rest]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  const steps = find([{ message, steps: [] }], normalized(first), MAX_DEPTH);
  if (steps === undefined) return undefined;
  return [steps.map(({ name }) => name).join('.'), ...below(steps.at(-1)!, first, rest)].join('');
}

interface Place {
  readonly message: DescMessage;
  readonly steps: readonly DescField[];
}

/** Breadth first: a field of the request itself before one of an inner message. */
function find(places: readonly Place[], wanted: string, depth: number): readonly DescField[] | undefined {
  if (depth === 0 || places.length === 0) return undefined;
  for (const { message, steps } of places) {
    const field = message.fields.find(({ name }) => normalized(name) === wanted);
    if (field !== undefined) return [...steps, field];
  }
  const inner = places.flatMap(({ message, steps }) =>
    message.fields.flatMap((field) =>
      field.fieldKind === 'message' ? [{ message: field.message, steps: [...steps, field] }] : [],
    ),
  );
  return find(inner, wanted, depth - 1);
}

/** Resolves the rest after the first name: indexes, and fields within items. */
function below(field: DescField, name: string, rest: readonly string[]): string[] {
  const [next, ...others] = rest;
  // `page` means the page number, which is in the message `page`.
  if (next === undefined) {
    const same = memberOf(field, name);
    return field.fieldKind === 'message' && same !== undefined ? [`.${same.name}`] : [];
  }
  if (/^\d+$/.test(next)) return [`[${next}]`, ...(others.length > 0 ? below(field, '', others) : [])];
  const member = memberOf(field, next);
  return member === undefined ? [] : [`.${member.name}`, ...below(member, '', others)];
}

function memberOf({ message }: DescField, name: string): DescField | undefined {
  return message?.fields.find((member) => normalized(member.name) === normalized(name));
}

/** Normalizes names: `perPage`, `per_page` and `Per-Page` are the same. */
function normalized(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}
