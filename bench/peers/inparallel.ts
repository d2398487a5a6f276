/** Connections of a client that writes as fast as it can. */
const CONNECTIONS = 16

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) await work(items[i]!)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}
