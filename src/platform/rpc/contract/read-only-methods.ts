import { MethodOptions_IdempotencyLevel as Level } from '@bufbuild/protobuf/wkt';
import type { Descriptors } from './descriptors.ts';

/** Standard services cannot carry the option. */
const STANDARD = ['/grpc.health.v1.Health/Check'];

/** Returns the full paths of the methods whose `idempotency_level` is NO_SIDE_EFFECTS. */
export function readOnlyMethods({ methods }: Descriptors): ReadonlySet<string> {
  const readOnly = methods.filter(({ idempotency }) => idempotency === Level.NO_SIDE_EFFECTS);
  return new Set([...STANDARD, ...readOnly.map(({ parent, name }) => `/${parent.typeName}/${name}`)]);
}
