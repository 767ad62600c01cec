import type { Database } from '../types.ts';

/** The condition that two columns (`a.tenant_id, a.id`) are one of so many pairs, in a form whose index each engine uses. */
export function pairsIn(engine: Database['engine'], columns: string, count: number): string {
  const pairs = Array<string>(count).fill('(?,?)').join(',');
  return `(${columns}) IN (${engine === 'sqlite' ? 'VALUES ' : ''}${pairs})`;
}
