/** Keys in a block before it is split: a write moves at most so many. */
const BLOCK = 512

/**
 * A map whose keys can be walked in order from any point. Blocks of sorted keys keep a write at O(log n + block):
 * no write costs work for all objects.
 */
export class SortedMap<V> {
  private readonly values = new Map<string, V>()
  private readonly blocks: string[][] = []

  get size(): number {
    return this.values.size
  }

  get(key: string): V | undefined {
    return this.values.get(key)
  }

  set(key: string, value: V): void {
    if (!this.values.has(key)) this.insert(key)
    this.values.set(key, value)
  }

  delete(key: string): void {
    if (!this.values.delete(key)) return
    const b = this.blockOf(key)
    const block = this.blocks[b]!
    block.splice(lowerBound(block, key), 1)
    if (block.length === 0) this.blocks.splice(b, 1)
  }

  /** Keys from `start` on, in order, while they begin with `prefix`. The map must not change meanwhile. */
  *keys(start: string, prefix: string): Generator<string> {
    for (let b = this.blockOf(start); b < this.blocks.length; b++) {
      const block = this.blocks[b]!
      for (let i = lowerBound(block, start); i < block.length; i++) {
        const key = block[i]!
        if (key.startsWith(prefix)) yield key
        else if (key > prefix) return
      }
    }
  }

  /** How many keys `keys(start, prefix)` would give. Whole blocks are counted by their ends. */
  count(start: string, prefix: string): number {
    let n = 0
    for (let b = this.blockOf(start); b < this.blocks.length; b++) {
      const block = this.blocks[b]!
      const from = lowerBound(block, start)
      const last = block[block.length - 1]!
      if (from === 0 && block[0]!.startsWith(prefix) && last.startsWith(prefix)) {
        n += block.length
        continue
      }
      for (let i = from; i < block.length; i++) {
        const key = block[i]!
        if (key.startsWith(prefix)) n++
        else if (key > prefix) return n
      }
    }
    return n
  }

  private insert(key: string): void {
    if (this.blocks.length === 0) {
      this.blocks.push([key])
      return
    }
    const b = Math.min(this.blockOf(key), this.blocks.length - 1)
    const block = this.blocks[b]!
    block.splice(lowerBound(block, key), 0, key)
    if (block.length > BLOCK) this.blocks.splice(b + 1, 0, block.splice(block.length >> 1))
  }

  /** The first block whose last key is not before `key`. */
  private blockOf(key: string): number {
    let lo = 0
    let hi = this.blocks.length
    while (lo < hi) {
      const mid = (lo + hi) >> 1
      const block = this.blocks[mid]!
      if (block[block.length - 1]! < key) lo = mid + 1
      else hi = mid
    }
    return lo
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let lo = 0
  let hi = keys.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (keys[mid]! < key) lo = mid + 1
    else hi = mid
  }
  return lo
}
