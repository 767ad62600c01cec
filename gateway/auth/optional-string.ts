import Type from 'typebox';

/** A member that is left out of the answer where it is undefined. */
export const OptionalString = (description: string) =>
  Type.Optional(Type.Unsafe<string | undefined>(Type.String({ description })));
