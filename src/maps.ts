// Maps that get an entry when it is first asked for.

/** Returns the value of a key, and creates it if it is missing. Deno 2.6 lacks `getOrInsertComputed`. */
export function getOrCreate<K, V extends NonNullable<unknown>>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: (key: K) => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = create(key);
  map.set(key, made);
  return made;
}
