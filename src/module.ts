// What modules outside this project import, by the name authservice/module: docs/extending.md.
export {
  addColumn,
  addIndex,
  amount,
  bytes,
  bytesKey,
  createTable,
  flag,
  integer,
  optional,
  type Schema,
  text,
  time,
} from '../migrations/schema/create-table.ts';
export { tenantOf } from './platform/rpc/tenant.ts';
export type { ExternalModule as Module } from './composition/load-modules.ts';
export { bytesToId, idToBytes, isId, newId } from './platform/db/ids.ts';
export { tenantScope } from './platform/db/query/tenant-scope.ts';
export { ServiceError } from './platform/errors.ts';
export { counter, gauge } from './platform/metric.ts';
export { loadThenHandle } from './platform/rpc/service.ts';
export type { Call } from './platform/rpc/types.ts';
