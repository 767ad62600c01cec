/** A member of the core's answer that is always there. Throws TypeError where it is not: a defect of the core. */
export function requireField<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new TypeError(`The core sent no ${name}`);
  return value;
}
