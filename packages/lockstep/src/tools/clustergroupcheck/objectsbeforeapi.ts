/** S8: extra objects whose API is not there when Argo CD tries all of them, before the first wave. */
import { at, isString, parseApiVersion } from '@lockstep/kube/object'
import { BUNDLE_WAIT } from '../../decisions/order/index.ts'
import type { GroupCheckRule, UnplacedFinding } from './groupcheckrule.ts'
import type { GroupMember } from './groupmembers.ts'
import { isPlatformObject } from './platformobject.ts'

const OPTIONS = 'argocd.argoproj.io/sync-options'
const SKIP = 'SkipDryRunOnMissingResource=true'

export const objectsBeforeApi: GroupCheckRule = ({ members }) => {
  const extras = members.filter((m) => m.what === 'extra')
  const brought = new Set(extras.flatMap(definedBy))
  return extras.flatMap(({ path, value: { apiVersion, kind, metadata } }): UnplacedFinding[] => {
    if (!isString(apiVersion) || !isString(kind) || apiVersion === BUNDLE_WAIT.apiVersion) return []
    const { group } = parseApiVersion(apiVersion)
    if (isPlatformObject(group) || brought.has(`${kind}.${group}`)) return []
    const options = at(metadata, 'annotations', OPTIONS)
    if (isString(options) && options.split(',').some((o) => o.trim() === SKIP)) return []
    const message = `${kind} of ${group} needs a CustomResourceDefinition that these files do not contain: until an operator creates it, the dry run before the first wave fails, and nothing is synced`
    return [{ rule: 'S8', path: [...path, 'metadata', 'annotations'], message }]
  })
}

/** Argo CD knows which kinds definitions of the same sync bring. */
function definedBy({ value }: GroupMember): string[] {
  if (value.kind !== 'CustomResourceDefinition') return []
  const [group, kind] = [at(value, 'spec', 'group'), at(value, 'spec', 'names', 'kind')]
  return isString(group) && isString(kind) ? [`${kind}.${group}`] : []
}
