/** A file of a repository, as far as a promotion has read it. */
export interface RepoFile {
  readonly path: string
  readonly kind: 'file' | 'link' | 'other'
  readonly size: number
  /** Undefined: not read, since it is no file, or too large. */
  readonly bytes: Uint8Array | undefined
}
