/**
 * Pieces of a text until it is complete. As bytes: memory outside the heap is freed soon, and a refused body never becomes a text.
 */
export class BytePieces {
  private pieces: Uint8Array[] = []
  private size = 0

  /** Bytes so far. */
  get length(): number {
    return this.size
  }

  push(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.pieces.push(piece)
    this.size += piece.length
  }

  /** All of it as text; nothing is left. */
  take(): string {
    const { pieces, size } = this
    this.pieces = []
    this.size = 0
    const [first] = pieces
    if (pieces.length <= 1) return first ? new TextDecoder().decode(first) : ''
    const all = new Uint8Array(size)
    let at = 0
    for (const piece of pieces) {
      all.set(piece, at)
      at += piece.length
    }
    return new TextDecoder().decode(all)
  }
}
