/** Several kubeconfigs as one, by the rules of kubectl (`tools/clientcmd/loader.go`): the first entry of a name and the first current context win. */
import { ok, type Result } from '@lockstep/kube/env'
import {
  at,
  isArray,
  isObject,
  isString,
  type JsonObject,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'
import { type KubeconfigFailure, kubeconfigFailure } from './kubeconfigfailure.ts'

export interface KubeconfigText {
  /** Absolute path; absent: the text is not of a file. */
  readonly path?: string
  readonly text: string
}

/** A named entry, and where it is. */
export interface KubeconfigEntry {
  readonly name: string
  /** Its `cluster`, `user` or `context`. */
  readonly value: JsonObject
  /** `users[0].user`. */
  readonly field: string
  readonly path: string | undefined
}

type Entries = ReadonlyMap<string, KubeconfigEntry>

export interface MergedKubeconfig {
  readonly currentContext: string | undefined
  readonly clusters: Entries
  readonly users: Entries
  readonly contexts: Entries
  /** Members of the files other than these, for what allows no unknown field. */
  readonly others: readonly string[]
}

/** Lists of a kubeconfig, and the member of their entries. */
const LISTS = { clusters: 'cluster', users: 'user', contexts: 'context' } as const
type ListName = keyof typeof LISTS

/** Fails with the first invalid text. An empty text adds nothing. */
export function mergeKubeconfigs(
  texts: readonly KubeconfigText[],
): Result<MergedKubeconfig, KubeconfigFailure> {
  const merged = { clusters: new Map(), users: new Map(), contexts: new Map() } as const
  let currentContext: string | undefined
  const others: string[] = []
  for (const text of texts) {
    const config = configOf(text)
    if (!config.ok) return config
    for (const list of Object.keys(LISTS) as ListName[]) {
      const entries = entriesOf(config.value, list, text.path)
      if (!entries.ok) return entries
      for (const entry of entries.value)
        if (!merged[list].has(entry.name)) merged[list].set(entry.name, entry)
    }
    const current = config.value['current-context']
    if (isString(current) && current !== '') currentContext ??= current
    others.push(
      ...Object.keys(config.value).filter((key) => !Object.hasOwn(LISTS, key) && key !== 'current-context'),
    )
  }
  return ok({ ...merged, currentContext, others })
}

function configOf({ path, text }: KubeconfigText): Result<JsonObject, KubeconfigFailure> {
  try {
    const [config = null] = parseYamlStream(text)
    if (config === null) return ok({})
    return isObject(config) ? ok(config) : kubeconfigFailure(path, '', 'is not a kubeconfig')
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return kubeconfigFailure(path, '', `line ${e.line}: ${e.message}`)
  }
}

function entriesOf(
  config: JsonObject,
  list: ListName,
  path: string | undefined,
): Result<KubeconfigEntry[], KubeconfigFailure> {
  const all = config[list] ?? []
  if (!isArray(all)) return kubeconfigFailure(path, list, 'is not a list')
  const entries: KubeconfigEntry[] = []
  for (const [i, item] of all.entries()) {
    const name = at(item, 'name') ?? ''
    if (!isString(name)) return kubeconfigFailure(path, `${list}[${i}].name`, 'is not a string')
    if (entries.some((e) => e.name === name))
      return kubeconfigFailure(path, `${list}[${i}].name`, `duplicate name "${name}"`)
    const value = at(item, LISTS[list])
    entries.push({ name, value: isObject(value) ? value : {}, field: `${list}[${i}].${LISTS[list]}`, path })
  }
  return ok(entries)
}
