import { at, type JsonObject, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import type { DefinedNames } from './crddefinition.ts'
import { namesOf, readDefinition } from './crddefinition.ts'
import type { DefinitionCondition } from './definitioncondition.ts'

interface TakenNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

/** Names that other definitions of the group have been given. */
function takenIn(group: string, others: Iterable<KubeObject>): TakenNames {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const o of others) {
    if (at(o, 'spec', 'group') !== group) continue
    const n = namesOf(at(o, 'status', 'acceptedNames'))
    for (const r of [n.plural, n.singular, ...n.shortNames]) resources.add(r)
    kinds.add(n.kind).add(n.listKind)
  }
  resources.delete('')
  kinds.delete('')
  return { resources, kinds }
}

const NO_CONFLICTS: DefinitionCondition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
}

/**
 * Which of its names a definition gets, and what the `NamesAccepted` condition says
 * (apiextensions-apiserver pkg/controller/status).
 */
export function acceptNames(
  crd: KubeObject,
  others: Iterable<KubeObject>,
): { accepted: JsonObject; condition: DefinitionCondition } {
  const { group, names } = readDefinition(crd)
  const taken = takenIn(group, others)
  const old = namesOf(at(crd, 'status', 'acceptedNames'))
  const refusals: DefinitionCondition[] = []
  const check = (name: string, reason: string, set: ReadonlySet<string>): boolean => {
    if (!set.has(name)) return true
    refusals.push({
      type: 'NamesAccepted',
      status: 'False',
      reason,
      message: `${JSON.stringify(name)} is already in use`,
    })
    return false
  }
  const plural = check(names.plural, 'PluralConflict', taken.resources) ? names.plural : old.plural
  const singular = check(names.singular, 'SingularConflict', taken.resources) ? names.singular : old.singular
  const short = names.shortNames.every((s) => check(s, 'ShortNamesConflict', taken.resources))
  const kind = check(names.kind, 'KindConflict', taken.kinds) ? names.kind : old.kind
  const listKind = check(names.listKind, 'ListKindConflict', taken.kinds) ? names.listKind : old.listKind
  const shortNames = short ? names.shortNames : old.shortNames
  const accepted = namesObject({ ...names, plural, singular, shortNames, kind, listKind })
  return { accepted, condition: refusals[refusals.length - 1] ?? NO_CONFLICTS }
}

function namesObject(n: DefinedNames): JsonObject {
  const out: { [k: string]: JsonValue } = { plural: n.plural }
  if (n.singular) out.singular = n.singular
  if (n.shortNames.length > 0) out.shortNames = n.shortNames
  out.kind = n.kind
  if (n.listKind) out.listKind = n.listKind
  if (n.categories.length > 0) out.categories = n.categories
  return out
}
