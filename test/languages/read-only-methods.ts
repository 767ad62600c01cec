import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../support/service-process.ts';

/** `package.Service/Method` of all RPCs that declare that they change nothing. */
export function readOnlyMethods(): string[] {
  const bytes = readFileSync(join(PROJECT, 'proto/gen/descriptors.binpb'));
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
  return [...registry]
    .filter((type) => type.kind === 'service')
    .flatMap(({ typeName, methods }) =>
      methods
        .filter(({ idempotency }) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
        .map(({ name }) => `${typeName}/${name}`),
    );
}
