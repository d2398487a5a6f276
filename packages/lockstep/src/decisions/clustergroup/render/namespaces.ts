/** Namespaces and their OperatorGroups: `templates/core/namespaces.yaml`, `operatorgroup.yaml` of chart 0.9.55. */
import { isArray, isObject, isString, type JsonObject } from '@lockstep/kube/object'
import type { ValuesField } from '../values/field.ts'
import type { Group } from '../values/group.ts'
import { shownValue } from '../values/notes.ts'

interface NamespaceEntry {
  /** Whose text is the name. */
  readonly name: ValuesField
  /** What is said of it; nothing: only its name. */
  readonly said: ValuesField | undefined
  readonly form: 'list' | 'map'
}

export function namespaces(g: Group): JsonObject[] {
  const entries = entriesOf(g.own.get('namespaces'))
  const excluded = new Set(excludes(g).map((e) => e.text))
  sayIdleExcludes(g, entries)
  const kept = entries.filter(({ said }) => !said?.isDisabled)
  return [...kept.map((e) => namespace(g, e)), ...kept.flatMap((e) => operatorGroup(e, excluded))]
}

function entriesOf(all: ValuesField): NamespaceEntry[] {
  if (isArray(all.value)) return all.items().flatMap(listed)
  return (all.members() ?? []).flatMap(({ key, field }) => {
    if (field.value !== null && !field.isMap('a map, or nothing')) return []
    return [{ name: named(field, key), said: field.value === null ? undefined : field, form: 'map' as const }]
  })
}

/** A text, or a map of one name. */
function listed(item: ValuesField): NamespaceEntry[] {
  const { value } = item
  if (isString(value)) return value === '' ? [] : [{ name: item, said: undefined, form: 'list' }]
  if (!isObject(value)) {
    item.refuse(`: ${shownValue(value)} is not a namespace`, {
      todo: 'write its name, or its name with a map',
    })
    return []
  }
  const [key, ...more] = Object.keys(value)
  if (key === undefined) return []
  const said = item.get(key)
  if (more.length > 0 || !isObject(said.value)) {
    item.refuse(': one key with a map expected')
    return []
  }
  return [{ name: named(said, key), said, form: 'list' }]
}

/** A key, at the place of what it names. */
const named = (field: ValuesField, key: string): ValuesField => field.as(key)

function namespace(g: Group, { name, said }: NamespaceEntry): JsonObject {
  const annotations = said?.get('annotations')
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: name.raw(),
      labels: {
        'argocd.argoproj.io/managed-by': g.argoNamespace.raw(),
        ...(said?.get('labels').isTruthy ? said.get('labels').texts() : {}),
      },
      ...(annotations?.isTruthy ? { annotations: annotations.texts() } : {}),
    },
    spec: null,
  }
}

function operatorGroup({ name, said, form }: NamespaceEntry, excluded: ReadonlySet<string>): JsonObject[] {
  if (said?.has('operatorGroup') && !said.get('operatorGroup').isTruthy) return []
  if (said === undefined && form === 'list' && excluded.has(name.text)) return []
  return [
    {
      apiVersion: 'operators.coreos.com/v1',
      kind: 'OperatorGroup',
      metadata: {
        name: name.raw((text) => `${text}-operator-group`),
        namespace: name.raw(),
        ...(said && form === 'list' ? repeated(said) : {}),
      },
      ...specOf(name, said),
    },
  ]
}

/** Without targets it is for all namespaces. */
function specOf(name: ValuesField, said: ValuesField | undefined): JsonObject {
  const targets = said?.get('targetNamespaces')
  if (!said?.has('targetNamespaces')) return { spec: { targetNamespaces: [name.raw()] } }
  return targets?.isTruthy ? { spec: { targetNamespaces: targets.items().map((t) => t.raw()) } } : {}
}

/** Labels and annotations of the namespace, which the list form writes here, too; labels that are empty as nothing. */
function repeated(said: ValuesField): JsonObject {
  const [labels, annotations] = [said.get('labels'), said.get('annotations')]
  return {
    ...(said.has('labels') ? { labels: labels.isTruthy ? labels.texts() : null } : {}),
    ...(annotations.isTruthy ? { annotations: annotations.texts() } : {}),
  }
}

const excludes = (g: Group): ValuesField[] => g.own.get('operatorgroupExcludes').items()

/** The chart asks for them in one form only. */
function sayIdleExcludes(g: Group, entries: readonly NamespaceEntry[]): void {
  const listed = new Set(entries.filter((e) => !e.said && e.form === 'list').map((e) => e.name.text))
  const others = new Set(entries.map((e) => e.name.text).filter((name) => !listed.has(name)))
  for (const excluded of excludes(g)) {
    if (listed.has(excluded.text)) continue
    const isThere = others.has(excluded.text)
    excluded.warn(
      ` has no effect, since ${isThere ? 'the namespace is not a text in a list' : 'no namespace here is called so'}`,
      { todo: isThere ? 'write operatorGroup: false there' : 'take it out', trap: 'G4' },
    )
  }
}
