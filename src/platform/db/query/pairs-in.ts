import type { Database } from '../types.ts';

/**
 * Returns the condition that two columns (`a.tenant_id, a.id`) match one of `count` pairs. Its syntax lets each engine
 * use its index.
 */
export function pairsIn(engine: Database['engine'], columns: string, count: number): string {
  const pairs = Array<string>(count).fill('(?,?)').join(',');
  return `(${columns}) IN (${engine === 'sqlite' ? 'VALUES ' : ''}${pairs})`;
}
