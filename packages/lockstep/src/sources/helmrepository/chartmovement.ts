/** What a version was when it was published, and what it is now. Pure. */
import type { HelmSource } from '../../api/kinds/index.ts'
import { type RefMovement, resolvedOlder } from '../git/refmovement.ts'
import { compareVersions, parseVersion } from '../intake/semverrange.ts'

/** `before` and `after` as `chartRevision` writes them, both of this chart. */
export function chartMovement(
  { version: wanted }: Pick<HelmSource, 'version'>,
  before: string,
  after: string,
): RefMovement | undefined {
  const [was, is] = [partsOf(before), partsOf(after)]
  if (was.version === is.version)
    return was.digest === is.digest
      ? undefined
      : { reason: 'TagMoved', message: `version ${is.version} was ${was.digest}, is ${is.digest}` }
  const [published, found] = [parseVersion(was.version), parseVersion(is.version)]
  if (!published || !found || compareVersions(found, published) >= 0) return undefined
  return resolvedOlder(wanted, is.version, was.version, 'spec.source.helm.version')
}

/** `1.18.2@sha256:…` */
function partsOf(text: string): { readonly version: string; readonly digest: string } {
  const end = text.lastIndexOf('@')
  return { version: text.slice(0, Math.max(0, end)), digest: text.slice(end + 1) }
}
