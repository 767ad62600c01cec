// The MACs of records by their places, in 24 bytes for each.

const TAG_BYTES = 16;
const FIRST_SIZE = 1_024;

/** Creates an empty set. All are added before the first is taken. */
export function createTags() {
  let places = new Float64Array(FIRST_SIZE);
  let tags = new Uint8Array(FIRST_SIZE * TAG_BYTES);
  let size = 0;
  let order: Uint32Array | undefined;

  function grow(): void {
    const larger = { places: new Float64Array(2 * places.length), tags: new Uint8Array(2 * tags.length) };
    larger.places.set(places);
    larger.tags.set(tags);
    ({ places, tags } = larger);
  }

  /** Returns the position in the order of the first place that is not before `place`. */
  function find(sorted: Uint32Array, place: number): number {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[sorted[middle]!]! < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    add(place: number, tag: Uint8Array): void {
      if (size === places.length) grow();
      places[size] = place;
      tags.set(tag, size * TAG_BYTES);
      size += 1;
    },
    get size() {
      return size;
    },
    /** Returns the places in a range, both ends inclusive, with their MACs. */
    between(first: number, last: number): readonly (readonly [place: number, tag: Uint8Array])[] {
      order ??= Uint32Array.from({ length: size }, (_, index) => index).toSorted((a, b) => places[a]! - places[b]!);
      const found: [number, Uint8Array][] = [];
      for (let at = find(order, first); at < size && places[order[at]!]! <= last; at += 1) {
        const index = order[at]!;
        found.push([places[index]!, tags.subarray(index * TAG_BYTES, (index + 1) * TAG_BYTES)]);
      }
      return found;
    },
  };
}
