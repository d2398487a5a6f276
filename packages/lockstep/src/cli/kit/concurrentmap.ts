/** Work on many clusters at once. */

const AT_ONCE = 16

/** Results in the order of the items. At most 16 are worked on at once; after an abort no other one begins, and it has no result. */
export async function concurrentMap<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const done = new Map<number, R>()
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < items.length && !signal.aborted; i = next++) done.set(i, await work(items[i]!))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return items.flatMap((_, i) => (done.has(i) ? [done.get(i)!] : []))
}
