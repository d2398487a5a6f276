/** What a cluster group has in which wave, each with the place in the values from which it comes. */
import {
  at,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  type YamlPath,
} from '@lockstep/kube/object'
import { type Group, isTruthy, templateText } from '../../decisions/clustergroup/index.ts'
import { WAVE } from '../../decisions/order/index.ts'

export interface GroupMember {
  /** Of its entry. */
  readonly path: YamlPath
  readonly what: 'Subscription' | 'ClusterExtension' | 'sequenceJob' | 'Application' | 'Namespace' | 'extra'
  readonly name: string
  /** What stands in the values; of an extra object the object. */
  readonly value: JsonObject
  /** Of hooks the first phase; everything else is Sync. */
  readonly phase: string
  readonly wave: MemberWave
}

export interface MemberWave {
  /** 0 where none is said, and where what is said is no number. */
  readonly number: number
  /** As it is written; undefined: nobody says one. */
  readonly text: string | undefined
  readonly path: YamlPath
}

const HOOK = 'argocd.argoproj.io/hook'

/** Without what is disabled, in the order of the templates. */
export function groupMembersOf(g: Group): GroupMember[] {
  const own = (name: string): MemberEntry[] => entriesOf(g.own.value, name)
  return [
    ...namespacesIn(own('namespaces')),
    ...own('subscriptions').flatMap(subscription),
    ...own('extraObjects').map(extra),
    ...(templateText(g.global.get('deletePattern').value) === 'DeleteChildApps'
      ? []
      : own('applications').flatMap(application)),
  ]
}

interface MemberEntry {
  readonly path: YamlPath
  /** Of a map. */
  readonly key: string
  readonly value: JsonObject
}

/** Maps in a list, or below the keys of a map, without those that are disabled. */
function entriesOf(own: JsonValue | undefined, name: string): MemberEntry[] {
  const all = at(own, name)
  const path = ['clusterGroup', name]
  const entries: readonly (readonly [string | number, JsonValue | undefined])[] = isArray(all)
    ? all.map((value, i) => [i, value] as const)
    : isObject(all)
      ? Object.keys(all)
          .sort()
          .map((key) => [key, all[key]] as const)
      : []
  return entries.flatMap(([step, value]) =>
    isObject(value) && !isTruthy(value.disabled)
      ? [{ path: [...path, step], key: isString(step) ? step : '', value }]
      : [],
  )
}

/** In a list a map of one name. */
const namespacesIn = (entries: readonly MemberEntry[]): GroupMember[] =>
  entries.flatMap(({ path, key, value }): GroupMember[] => {
    const name = key === '' ? (Object.keys(value)[0] ?? '') : key
    const said = key === '' ? value[name] : value
    const below = key === '' ? [...path, name] : path
    if (!isObject(said) || isTruthy(said.disabled)) return []
    return [{ path: below, what: 'Namespace', name, value: said, phase: 'Sync', wave: waveOf(said, below) }]
  })

const V1_KEYS = ['channels', 'version', 'upgradeConstraintPolicy', 'serviceAccountName']

function subscription({ path, value }: MemberEntry): GroupMember[] {
  if (!isTruthy(value.name)) return []
  const isV1 = !isTruthy(value.namespaces) && V1_KEYS.some((key) => isTruthy(value[key]))
  const name = templateText(value.name)
  const wave = waveOf(value, path)
  const own = value.sequenceJob
  const member: GroupMember = {
    path,
    name,
    value,
    wave,
    what: isV1 ? 'ClusterExtension' : 'Subscription',
    phase: 'Sync',
  }
  if (!isObject(own) || !isTruthy(own) || isTruthy(own.disabled)) return [member]
  const place = [...path, 'sequenceJob']
  const jobWave = isTruthy(own.syncWave) ? readWave(own.syncWave, [...place, 'syncWave']) : wave
  const phase = isTruthy(own.hookType) ? templateText(own.hookType) : 'Sync'
  return [member, { path: place, what: 'sequenceJob', name, value: own, phase, wave: jobWave }]
}

/** Falsy ones are skipped, `{}` too. */
const application = ({ path, value }: MemberEntry): GroupMember[] =>
  isTruthy(value)
    ? [
        {
          path,
          value,
          name: templateText(value.name),
          what: 'Application',
          phase: 'Sync',
          wave: waveOf(value, path),
        },
      ]
    : []

function extra({ path, key, value }: MemberEntry): GroupMember {
  const metadata = [...path, 'metadata']
  const hook = at(value, 'metadata', 'annotations', HOOK)
  const name = at(value, 'metadata', 'name')
  return {
    path,
    value,
    what: 'extra',
    name: isString(name) ? name : key,
    phase: isString(hook) && hook !== '' ? hook.split(',')[0]!.trim() : 'Sync',
    wave: waveOf(at(value, 'metadata'), metadata),
  }
}

function waveOf(entry: JsonValue | undefined, path: YamlPath): MemberWave {
  return readWave(at(entry, 'annotations', WAVE), [...path, 'annotations', WAVE])
}

/** As Go reads it (strconv.Atoi), which knows neither blanks nor fractions. */
function readWave(value: JsonValue | undefined, path: YamlPath): MemberWave {
  const text = isTruthy(value) ? templateText(value) : undefined
  const isNumber = text !== undefined && /^[+-]?\d+$/.test(text)
  return { number: isNumber ? Number(text) : 0, text, path }
}

export const isWaveNumber = ({ text }: MemberWave): boolean => text === undefined || /^[+-]?\d+$/.test(text)

/** Subscription odf and 2 others. */
export function memberNames(members: readonly GroupMember[]): string {
  const [first, ...more] = members
  const others = more.length === 0 ? '' : ` and ${more.length} ${more.length === 1 ? 'other' : 'others'}`
  return `${first?.what.replace('Subscription', 'subscription') ?? ''} ${first?.name ?? ''}${others}`
}
