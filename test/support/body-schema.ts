// The schemas of bodies that the gateway derives from the protos.
import { contracts } from '../../gateway/contract/contracts.ts';
import { requestShape, responseShape } from '../../gateway/contract/request-shape.ts';
import { bodySchema } from '../../gateway/contract/request-schemas.ts';

/** The schema of an RPC's body. `replaces`: of a PUT. */
export function bodySchemaOf(rpc: string, replaces = false): { readonly properties: Readonly<Record<string, object>> } {
  const method = contracts().methodOf(rpc);
  const request = requestShape(method);
  const meaning = {
    settable: request.fields?.members ?? [],
    replaces,
    strict: false,
    creates: method.name.startsWith('Create'),
  };
  return bodySchema(method, request, responseShape(method), meaning) as unknown as ReturnType<typeof bodySchemaOf>;
}
