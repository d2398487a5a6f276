/** Where a problem of a source is: a field of the spec, and a URL, file or object. */
import { text } from './reason.ts'
import type { RefPattern, WaitKind } from './waitref.ts'
import { anyNumber } from './waitref.ts'

/** Facts of every reason of a source. */
export const place = { field: text.optional(), place: text.optional() } as const

interface PlaceFacts {
  readonly field?: string | undefined
  readonly place?: string | undefined
}

/** `spec.source.git: git https://git.example.com/web.git: `, or nothing. */
export const at = ({ field, place: where }: PlaceFacts): string =>
  [field, where].flatMap((part) => (part === undefined || part === '' ? [] : [`${part}: `])).join('')

/** The field, else the place. */
export const whereOf = ({ field, place: where }: PlaceFacts): string => field ?? where ?? 'spec.source'

/** `a, b and c`; `none` of an empty list. */
export const namesText = (names: readonly string[] | undefined): string =>
  names === undefined || names.length === 0 ? 'none' : names.join(', ')

/** A source is read from its URL, or from objects of the hub; a spec from its Module. */
export const ofSource: RefPattern<Extract<WaitKind, 'Source' | 'Object' | 'Module' | 'Unit'>, 0> = anyNumber(
  'Source',
  'Object',
  'Module',
  'Unit',
)
