/** What came of a request, over either surface. */
export interface Answer {
  /** `404 not-found`; `NOT_FOUND`; the status alone, or `OK`, where it succeeded. */
  readonly outcome: string;
  /** All that came, but what no two answers have in common. */
  readonly whole: string;
  /** The body or the message. */
  readonly body: unknown;
}

/** The outcome of a request to what the deployment does not serve. */
export const NOT_SERVED = 'not served';

type Visit = (key: string, value: unknown) => void;

/** Calls `visit` with every member of a value, at any depth. */
export function visitMembers(value: unknown, visit: Visit): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  for (const [key, member] of Object.entries(value)) {
    visit(key, member);
    visitMembers(member, visit);
  }
}

/** Whether a list, or a body with lists, has nothing in it. */
export function isEmpty(body: unknown): boolean {
  const lists: unknown[] = [];
  visitMembers({ body }, (_key, value) => Array.isArray(value) && lists.push(value));
  let total = 0;
  visitMembers(body, (key, value) => (total += key === 'total' ? Number(value) : 0));
  return total === 0 && lists.length > 0 && lists.every((list) => (list as unknown[]).length === 0);
}

/** The tenants that a body says its records belong to. */
export function tenantsIn(body: unknown): Set<string> {
  const tenants = new Set<string>();
  visitMembers(body, (key, value) => key === 'tenantId' && typeof value === 'string' && tenants.add(value));
  return tenants;
}

/** Where two values of one shape differ: `items.productId`, without the indexes of lists. */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  if (one === other) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => {
    const below = Array.isArray(one) ? path : [path, key].filter((part) => part !== '').join('.');
    return differences((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], below);
  });
}
