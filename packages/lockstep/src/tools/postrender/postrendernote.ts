/** What post-rendering has to say: which rule, about what. Texts are in the table of errors. */

import type { YamlPath } from '@lockstep/kube/object'
import type { PublicError } from '../../api/errors.ts'
import { type ErrorCode, publicError } from '../../api/errors.ts'
import { type FluxManifest, positionOf } from '../flux/fluxmanifest.ts'

export type NoteCode = Extract<ErrorCode, `PR${string}`>

export interface PostRenderNote {
  readonly code: NoteCode
  /** An error refuses everything: nothing is printed. */
  readonly level: 'error' | 'warning' | 'note'
  readonly message: string
  readonly hint: string
  /** In the input, from 1. */
  readonly line: number
}

export function postRenderNote(
  level: PostRenderNote['level'],
  code: NoteCode,
  values: Readonly<Record<string, string>>,
  at: FluxManifest,
  field: YamlPath = ['metadata', 'name'],
): PostRenderNote {
  const { message, hint }: PublicError = publicError(code, values)
  return { code, level, message, hint, line: positionOf(at, field).line }
}
