// Response members whose JSON differs from the derived form: those of modules.
import type { DescField } from '../../src/platform/rpc/contract/descriptors.ts';
import type { Message } from './members.ts';
import type { JsonSchema } from './value-schemas.ts';

export interface SpecialMember {
  readonly schema: (description: string) => JsonSchema;
  /** Converts the field of a record to its JSON value. `apiRoot` is the prefix of record paths: `/shop/api/v1`. */
  readonly encode: (value: unknown, record: Message, apiRoot: string) => unknown;
}

/** By the full name of the field: `authservice.business.v1.Product.images`. */
export type SpecialMembers = ReadonlyMap<string, (field: DescField) => SpecialMember>;

const members = new Map<string, (field: DescField) => SpecialMember>();

/** Adds those of a module. Call it before anything is derived from the protos. */
export function addSpecialMembers(further: SpecialMembers): void {
  for (const [name, member] of further) members.set(name, member);
}

/** Returns the special conversion of a field, or undefined for derived fields. */
export function specialMember(field: DescField): SpecialMember | undefined {
  return members.get(`${field.parent.typeName}.${field.name}`)?.(field);
}
