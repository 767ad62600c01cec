/** Splits a text at blanks, commas and semicolons: names of roles, permissions, origins. */
export const wordsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((word) => word !== '');
