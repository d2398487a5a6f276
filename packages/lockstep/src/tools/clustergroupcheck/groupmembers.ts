/** What a cluster group has in which wave, each with the place in the values from which it comes. */
import {
  at,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  type YamlPath,
} from '../../../../kube/src/object/index.ts'
import { WAVE } from '../../decisions/order/waves.ts'
import { isTruthy, textOf } from '../../decisions/clustergroup/values/gotext.ts'
import type { Group } from '../../decisions/clustergroup/values/group.ts'

export interface Member {
  /** Of its entry. */
  readonly path: YamlPath
  readonly what: 'Subscription' | 'ClusterExtension' | 'sequenceJob' | 'Application' | 'Namespace' | 'extra'
  readonly name: string
  /** What stands in the values; of an extra object the object. */
  readonly value: JsonObject
  /** Of hooks the first phase; everything else is Sync. */
  readonly phase: string
  readonly wave: Wave
}

export interface Wave {
  /** 0 where none is said, and where what is said is no number. */
  readonly number: number
  /** As it is written; undefined: nobody says one. */
  readonly text: string | undefined
  readonly path: YamlPath
}

const HOOK = 'argocd.argoproj.io/hook'

/** Without what is disabled, in the order of the templates. */
export function membersOf(g: Group): Member[] {
  const own = (name: string): Entry[] => entriesOf(g.own.value, name)
  return [
    ...namespacesIn(own('namespaces')),
    ...own('subscriptions').flatMap(subscription),
    ...own('extraObjects').map(extra),
    ...(textOf(g.global.get('deletePattern').value) === 'DeleteChildApps'
      ? []
      : own('applications').flatMap(application)),
  ]
}

interface Entry {
  readonly path: YamlPath
  /** Of a map. */
  readonly key: string
  readonly value: JsonObject
}

/** Maps in a list, or below the keys of a map, without those that are disabled. */
function entriesOf(own: JsonValue | undefined, name: string): Entry[] {
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
const namespacesIn = (entries: readonly Entry[]): Member[] =>
  entries.flatMap(({ path, key, value }): Member[] => {
    const name = key === '' ? (Object.keys(value)[0] ?? '') : key
    const said = key === '' ? value[name] : value
    const below = key === '' ? [...path, name] : path
    if (!isObject(said) || isTruthy(said.disabled)) return []
    return [{ path: below, what: 'Namespace', name, value: said, phase: 'Sync', wave: waveOf(said, below) }]
  })

const V1_KEYS = ['channels', 'version', 'upgradeConstraintPolicy', 'serviceAccountName']

function subscription({ path, value }: Entry): Member[] {
  if (!isTruthy(value.name)) return []
  const isV1 = !isTruthy(value.namespaces) && V1_KEYS.some((key) => isTruthy(value[key]))
  const name = textOf(value.name)
  const wave = waveOf(value, path)
  const own = value.sequenceJob
  const member: Member = {
    ...{ path, name, value, wave },
    what: isV1 ? 'ClusterExtension' : 'Subscription',
    phase: 'Sync',
  }
  if (!isObject(own) || !isTruthy(own) || isTruthy(own.disabled)) return [member]
  const place = [...path, 'sequenceJob']
  const jobWave = isTruthy(own.syncWave) ? readWave(own.syncWave, [...place, 'syncWave']) : wave
  const phase = isTruthy(own.hookType) ? textOf(own.hookType) : 'Sync'
  return [member, { path: place, what: 'sequenceJob', name, value: own, phase, wave: jobWave }]
}

/** Falsy ones are skipped, `{}` too. */
const application = ({ path, value }: Entry): Member[] =>
  isTruthy(value)
    ? [
        {
          ...{ path, value, name: textOf(value.name) },
          ...{ what: 'Application', phase: 'Sync', wave: waveOf(value, path) },
        },
      ]
    : []

function extra({ path, key, value }: Entry): Member {
  const metadata = [...path, 'metadata']
  const hook = at(value, 'metadata', 'annotations', HOOK)
  const name = at(value, 'metadata', 'name')
  return {
    ...{ path, value, what: 'extra', name: isString(name) ? name : key },
    phase: isString(hook) && hook !== '' ? hook.split(',')[0]!.trim() : 'Sync',
    wave: waveOf(at(value, 'metadata'), metadata),
  }
}

function waveOf(entry: JsonValue | undefined, path: YamlPath): Wave {
  return readWave(at(entry, 'annotations', WAVE), [...path, 'annotations', WAVE])
}

/** As Go reads it (strconv.Atoi), which knows neither blanks nor fractions. */
function readWave(value: JsonValue | undefined, path: YamlPath): Wave {
  const text = isTruthy(value) ? textOf(value) : undefined
  const isNumber = text !== undefined && /^[+-]?\d+$/.test(text)
  return { number: isNumber ? Number(text) : 0, text, path }
}

export const isWaveNumber = ({ text }: Wave): boolean => text === undefined || /^[+-]?\d+$/.test(text)

/** Subscription odf and 2 others. */
export function namesOf(members: readonly Member[]): string {
  const [first, ...more] = members
  const others = more.length === 0 ? '' : ` and ${more.length} ${more.length === 1 ? 'other' : 'others'}`
  return `${first?.what.replace('Subscription', 'subscription') ?? ''} ${first?.name ?? ''}${others}`
}
