// Query parameters of lists, beside those of gateway/paging.ts.
import Type from 'typebox';

/** Fields to sort by. The core knows which there are. */
export const sortParameter = (fields: readonly string[], byDefault = '-createdAt') =>
  Type.Optional(
    Type.String({
      minLength: 1,
      description: `Some of ${fields.join(', ')}, each once, with a minus for descending. Default ${byDefault}.`,
      examples: ['-createdAt', `${fields[0]},-createdAt`],
    }),
  );

/** Text to search for. */
export const searchParameter = (where: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: `Part of ${where}, without regard to case; 1-254 characters, none of which has a special meaning.`,
    }),
  );

/** One of several names. */
export const nameParameter = <Name extends string>(names: readonly Name[], description: string) =>
  Type.Optional(Type.Unsafe<Name>(Type.Enum([...names], { description })));

/** Yes or no. */
export const flagParameter = (description: string) => nameParameter(['true', 'false'], description);

/** What a checked flag says. */
export function flagOf(text: 'true' | 'false' | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}
