import type { TextPlace } from '@lockstep/kube/object'

/** A place in a file, for messages that point. */
export interface FilePosition extends TextPlace {
  readonly file: string
}
