/** References of images: the part of one that a marker means (`…:tag`, `…:name`, `…:digest`) is replaced, the others stay. */
import { err, ok, type Result } from '@lockstep/kube/env'
import type { FactsOf } from '../../../api/reasons/index.ts'

export const PARTS = ['tag', 'name', 'digest'] as const
export type ImagePart = (typeof PARTS)[number]

/** distribution/reference: what each part may be. */
const VALID: Readonly<Record<ImagePart, RegExp>> = {
  tag: /^\w[\w.-]{0,127}$/,
  name: /^[a-zA-Z0-9][a-zA-Z0-9._-]*(?::[0-9]+(?=\/))?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/,
  digest: /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/,
}
const EXAMPLE: Readonly<Record<ImagePart, string>> = {
  tag: '6.0.1',
  name: 'ghcr.io/org/app',
  digest: 'sha256:… with its digits',
}

/** Why a text is not such a part; undefined: it is one. */
export const partProblem = (text: string, part: ImagePart): FactsOf<'EditRefused'> | undefined =>
  VALID[part].test(text) ? undefined : { because: 'NotAPart', name: text, field: part, error: EXAMPLE[part] }

interface Image {
  readonly name: string
  readonly tag?: string
  readonly digest?: string
}

/** The colon of a tag is behind the last slash: one before it is that of a port. */
function imageOf(text: string): Image {
  const [named = '', digest] = text.split(/@(.*)/s, 2)
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  const [name, tag] = colon < 0 ? [named, undefined] : [named.slice(0, colon), named.slice(colon + 1)]
  return { name, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) }
}

/** Keys whose value is a tag by itself, as most charts and kustomize have them. */
const KEY_OF_TAG = /(?:tag|version)$/i

/**
 * A scalar with one part of its image replaced. One without `/`, `:` and `@` may be the name of an image or a tag: its key
 * says which, or it is refused. `key`: of the scalar, empty for an item.
 */
export function withPart(
  scalar: string,
  part: ImagePart,
  value: string,
  key: string,
): Result<string, 'NameOrTag' | 'NotAnImage' | 'HasDigest'> {
  if (part === 'digest' && VALID.digest.test(scalar)) return ok(value)
  if (part === 'tag' && VALID.tag.test(scalar)) {
    if (KEY_OF_TAG.test(key)) return ok(value)
    return err('NameOrTag')
  }
  const image = imageOf(scalar)
  const isImage =
    VALID.name.test(image.name) &&
    (image.tag === undefined || VALID.tag.test(image.tag)) &&
    (image.digest === undefined || VALID.digest.test(image.digest))
  if (!isImage) return err('NotAnImage')
  if (part === 'tag' && image.digest !== undefined) return err('HasDigest')
  const { name, tag, digest }: Image = { ...image, [part]: value }
  return ok(`${name}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`)
}
