import { Type } from '../type.ts';

/** Schema of a response member that is omitted if it is undefined. */
export const OptionalString = (description: string) =>
  Type.Optional(Type.Unsafe<string | undefined>(Type.String({ description })));
