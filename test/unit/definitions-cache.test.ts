import { describe, expect, it } from 'vitest';
import { createWeightedCache } from '../../src/auth/access/roles/definitions-cache.ts';

describe('the cache of definitions', () => {
  const weighing = (weight: number) => ({ weigh: () => weight });

  it('removes the values that were not used, beyond its weight', () => {
    const cache = createWeightedCache(100);
    for (const key of ['a', 'b']) cache.set(key, weighing(40));
    expect(cache.get('a')).toBeDefined();
    cache.set('c', weighing(40));
    expect(['a', 'b', 'c'].filter((key) => cache.get(key))).toEqual(['a', 'c']);
    expect(cache.weight()).toBe(80);
  });

  it('counts the weight that its values share once', () => {
    const cache = createWeightedCache(100);
    cache.set('old', weighing(90));
    cache.clear(50);
    expect(cache.get('old')).toBeUndefined();
    for (const key of ['a', 'b', 'c']) cache.set(key, weighing(20));
    expect(cache.weight()).toBe(90);
    cache.clear(10);
    expect(cache.weight()).toBe(10);
  });
});
