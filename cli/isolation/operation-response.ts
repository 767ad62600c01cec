/** The response to a request over REST or gRPC. */
export interface OperationResponse {
  /** `404 not-found` or `NOT_FOUND`. If the request succeeded, the status alone or `OK`. */
  readonly outcome: string;
  /** The whole response as text, without parts that differ between any two responses. */
  readonly whole: string;
  /** The parsed body or the message. */
  readonly body: unknown;
}

/** The outcome of a request to an operation that the deployment does not serve. */
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

/** Whether a body contains at least one list, and all its lists and totals are empty or 0. */
export function isEmpty(body: unknown): boolean {
  const lists: unknown[] = [];
  visitMembers({ body }, (_key, value) => Array.isArray(value) && lists.push(value));
  let total = 0;
  visitMembers(body, (key, value) => (total += key === 'total' ? Number(value) : 0));
  return total === 0 && lists.length > 0 && lists.every((list) => (list as unknown[]).length === 0);
}

/** Returns the tenant ids in a body. */
export function tenantsIn(body: unknown): Set<string> {
  const tenants = new Set<string>();
  visitMembers(body, (key, value) => key === 'tenantId' && typeof value === 'string' && tenants.add(value));
  return tenants;
}

/** Returns the paths at which two values of the same shape differ, such as `items.productId`, without list indexes. */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  if (one === other) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => {
    const below = Array.isArray(one) ? path : [path, key].filter((part) => part !== '').join('.');
    return differences((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], below);
  });
}
