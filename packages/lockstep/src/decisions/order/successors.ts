/** Who comes behind each node: lists in a few arrays of numbers, since a graph of thousands is built and thrown away often. */
export class Successors {
  private readonly heads: number[]
  private readonly ends: number[] = []
  private readonly nexts: number[] = []

  constructor(nodes: number) {
    this.heads = new Array<number>(nodes).fill(-1)
  }

  addNode(): void {
    this.heads.push(-1)
  }

  add(from: number, to: number): void {
    this.nexts.push(this.heads[from]!)
    this.heads[from] = this.ends.push(to) - 1
  }

  /** The place of the first follower of a node; negative: it has none. */
  first(node: number): number {
    return this.heads[node]!
  }

  /** The place of the next one; negative: there is none. */
  next(place: number): number {
    return this.nexts[place]!
  }

  at(place: number): number {
    return this.ends[place]!
  }
}
