// Every operation of administration over REST, with a request that its rules accept: from the declarations of the RPCs and their
// examples.
import { routesOfRpc } from '../../../cli/isolation/declared-routes.ts';
import { canNameTenant, isForService } from '../../../cli/isolation/derive-cases.ts';
import {
  ASKING,
  EVERYBODY,
  missingRecords,
  OR_PERMISSION_OF,
  PERMISSION_OF,
  type Records,
  type Rpc,
} from '../../rpc/admin/rpcs.ts';

/** Who may call it: accounts without a tenant, administrators of any kind, or every account. */
export type Audience = 'super-admin' | 'administrator' | 'account';

export interface Operation {
  readonly method: string;
  /** As the OpenAPI document names it, below `/api/v1`. */
  readonly template: string;
  readonly audience: Audience;
  readonly status: number;
  /** One of them suffices. */
  readonly permissions: readonly string[];
  /** The path's parameters. Without a record that they name the response is 404. */
  readonly path?: (records: Records) => readonly string[];
  readonly body?: () => object;
  /** Whether the body, or the query of a list, can name a tenant. */
  readonly tenant?: boolean;
}

export const OPERATIONS: readonly (readonly [name: string, operation: Operation])[] = ASKING.filter(
  ({ isOfShop }) => !isOfShop,
).flatMap(operationsOf);

function operationsOf(rpc: Rpc): (readonly [name: string, operation: Operation])[] {
  return routesOfRpc(rpc.definition).map(({ name, status, toRest }) => {
    const [method = '', template = ''] = name.split(' ');
    const example = (records: Records) => toRest(rpc.request(records));
    const hasPath = template.includes('{');
    const operation: Operation = {
      method,
      template,
      audience: audienceOf(rpc),
      status,
      permissions: [PERMISSION_OF, OR_PERMISSION_OF].flatMap((of) => of.get(rpc.name) ?? []),
      ...(hasPath && { path: (records) => Object.values(example(records).path!) }),
      ...(example(missingRecords()).body !== undefined && { body: () => example(missingRecords()).body as object }),
      ...(!hasPath && canNameTenant(rpc.method) && { tenant: true }),
    };
    return [name, operation];
  });
}

function audienceOf({ name, method }: Rpc): Audience {
  if (EVERYBODY.has(name)) return 'account';
  return isForService(method) ? 'super-admin' : 'administrator';
}

/** The path of an operation on these records, below `/api/v1`. */
export function pathOf({ template, path }: Operation, records: Records): string {
  const values = [...(path?.(records) ?? [])];
  return template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values.shift()!));
}
