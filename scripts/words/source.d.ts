/** Types of `source.js`, for tests. */
export interface SourcePiece {
  readonly surface: 'strings' | 'comments'
  /** Offset in the file. */
  readonly at: number
  readonly text: string
}

export function sourcePieces(text: string): SourcePiece[]
