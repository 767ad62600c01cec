import type { RequestCheck } from '../request-check.ts';

/** Which fields of a record a change means; an empty mask means none. Notes a violation where it is missing or names others. */
export function updateMaskOf<Field extends string>(
  check: RequestCheck,
  mask: readonly string[] | undefined,
  fields: readonly Field[],
): ReadonlySet<Field> {
  const unknown = (mask ?? []).filter((path) => !(fields as readonly string[]).includes(path));
  if (mask === undefined || unknown.length > 0) {
    check.violate({
      message: `must name some of ${fields.join(', ')}`,
      format: 'fieldMask',
      props: ['updateMask'],
      params: { allowed: fields },
    });
  }
  return new Set((mask ?? []) as Field[]);
}
