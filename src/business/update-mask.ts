import type { RequestCheck } from '../request-check.ts';

/** Which fields of a record a change means. Notes a violation where it means none or names an unknown one. */
export function updateMaskOf<Field extends string>(
  check: RequestCheck,
  mask: readonly string[] | undefined,
  fields: readonly Field[],
): ReadonlySet<Field> {
  const unknown = (mask ?? []).filter((path) => !(fields as readonly string[]).includes(path));
  if (unknown.length > 0 || mask === undefined || mask.length === 0) {
    check.violate({
      message: `must name some of ${fields.join(', ')}`,
      format: 'fieldMask',
      props: ['updateMask'],
      params: { allowed: fields },
    });
  }
  return new Set((mask ?? []) as Field[]);
}
