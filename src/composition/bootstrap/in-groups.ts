// Fewer than the allowed number of waiting password hashes.
const AT_ONCE = 16;

/** Does work for all items, a few at once. Returns the results in the order of the items. */
export async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  return results;
}
