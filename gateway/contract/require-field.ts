/** Returns a required field of the core's response. Throws TypeError if it is missing, which is a defect of the core. */
export function requireField<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new TypeError(`The core sent no ${name}`);
  return value;
}
