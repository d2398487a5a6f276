/**
 * What is said of the Module of a ClusterResourceSet, in the words of whoever wrote the set: annotations instead of fields of
 * `Module.spec`, sets instead of their Modules. Pure.
 */
import { SET } from '../../api/kinds/index.ts'

export interface SetMessagesSubject {
  /** Name of the set's own Module. */
  readonly module: string
  /** Name of the set that a Module of the namespace is of; undefined: of none. */
  setOfModule(name: string): string | undefined
}

const OWNED =
  /^(.+?) belongs to (\w+) ([^/ ]+)\/([^ ;,]+)(, which took it from this Module)?; remove it from one of the two( Modules)?(, or list .*)?$/gm

const RELIES =
  /^waiting for dependent (\S+) on (.+) to be removed: it depends on \S+; delete it or the dependency$/gm

/** Fields as messages name them, and what stands for them on a set. */
const FIELDS: readonly (readonly [RegExp, string])[] = [
  [/spec\.dependsOn\b/g, SET.dependsOn],
  [/spec\.source\.resources\b/g, 'spec.resources'],
  [/\badd dependsOn\b/g, `set ${SET.dependsOn}`],
  [/\bapply\.allowEmpty is false\b/g, `${SET.allowEmpty} is not "true"`],
  [/spec\.apply\.drift is Observe\b/g, `${SET.drift} is Report`],
  [/spec\.apply\.drift\b/g, SET.drift],
  [/(\S+): (?:Forbidden: )?field is immutable\b/g, '.$1 is immutable'],
  [
    /set spec\.apply\.replaceImmutable to recreate it, or rename it/g,
    `set ${SET.replaceImmutable}: "true" or rename it`,
  ],
  [/spec\.apply\.adopt is Never; run lockstep adopt\b/g, `${SET.existing} is Fail: set Take`],
  [/; add \S+ to spec\.apply\.adoptFrom/g, ': take it out of that, or out of this ClusterResourceSet'],
  [
    /\blockstep delete module \S+ --orphan \S+/g,
    `annotate with ${SET.deletionPolicy}: Orphan: objects then stay`,
  ],
  [/\bremove it from the Module\b/g, 'remove it from this ClusterResourceSet'],
  [/; to ignore the field set spec\.apply\.ignore/g, '; remove the field from the manifest'],
]

export function toSetMessage(text: string, { module, setOfModule }: SetMessagesSubject): string {
  const owned = text.replace(OWNED, (...found: (string | undefined)[]) => {
    const [, object, kind, namespace, name = '', taken, isApart] = found
    const known = kind === 'Module' ? setOfModule(name) : kind === 'ClusterResourceSet' ? name : undefined
    // Sets are of one namespace, as what they may take from each other.
    const set = isApart === undefined ? known : undefined
    if (set === undefined)
      return `${object} belongs to ${kind} ${namespace}/${name}; take it out of one of the two`
    const held = `${object} is owned by ClusterResourceSet ${namespace}/${set}`
    return taken === undefined
      ? `${held}; delete it or set ${SET.takeOverFrom}: ${set}`
      : `${held}, which has taken it from this one; take it out of one of the two`
  })
  const relying = owned.replace(RELIES, (text, dependant: string, cluster: string) => {
    const set = setOfModule(dependant)
    if (set === undefined) return text
    return `ClusterResourceSet ${set} on ${cluster} relies on this one; it leaves first: delete it or its ${SET.dependsOn}`
  })
  const named = FIELDS.reduce((t, [field, instead]) => t.replace(field, instead), relying)
  return named.replace(/\blockstep rollout retry\b/g, `lockstep rollout retry ${module}`)
}
