// The definitions of tenants that a process keeps, and the rights that they give to lists of roles. Bounded by weight, because one
// tenant can define a hundred thousand times as much as another.

/** A value with its weight, which can grow. */
export interface Weighted {
  /** Called once, when the value is stored. The value calls `onChange` with each later change of its weight. */
  weigh(onChange: (difference: number) => void): number;
}

interface Entry<Value> {
  readonly value: Value;
  weight: number;
  wasUsed: boolean;
}

export interface WeightedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  /** Removes all values. From now on, the cache also counts this weight, of an object that later values share. */
  clear(sharedWeight: number): void;
  readonly weight: () => number;
}

/** Creates a cache. Beyond its weight, it removes the values that were not used for longest, approximately. */
export function createWeightedCache<Value extends Weighted>(maxWeight: number): WeightedCache<Value> {
  const entries = new Map<string, Entry<Value>>();
  let total = 0;

  function remove(key: string, entry: Entry<Value>): void {
    entries.delete(key);
    total -= entry.weight;
  }

  /** Gives each used value a second chance: it moves to the end of the map. */
  function shrink(): void {
    for (const [key, entry] of entries) {
      if (total <= maxWeight || entries.size === 1) return;
      entries.delete(key);
      if (entry.wasUsed) {
        entry.wasUsed = false;
        entries.set(key, entry);
      } else total -= entry.weight;
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entry.wasUsed = true;
      return entry.value;
    },
    set(key, value) {
      const former = entries.get(key);
      if (former) remove(key, former);
      const entry: Entry<Value> = { value, weight: 0, wasUsed: false };
      entry.weight = value.weigh((difference) => {
        if (entries.get(key) !== entry) return;
        entry.weight += difference;
        total += difference;
        shrink();
      });
      entries.set(key, entry);
      total += entry.weight;
      shrink();
    },
    clear(sharedWeight) {
      entries.clear();
      total = sharedWeight;
    },
    weight: () => total,
  };
}
