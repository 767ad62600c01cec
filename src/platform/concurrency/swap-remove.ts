/**
 * Removes an item of a short list without keeping the order. For items that change with each request: the tables of a Set that
 * changes so often survive collections, and keep each other alive.
 */
export function swapRemove<T>(items: T[], item: T): void {
  const index = items.indexOf(item);
  if (index === -1) return;
  const last = items.pop()!;
  if (index < items.length) items[index] = last;
}
