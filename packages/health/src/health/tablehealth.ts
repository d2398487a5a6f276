/** The table of health rules: which entries are about an object, and the first rule of them that is true. Pure. */
import { at, isArray, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import type { KindRule, KindRules, RuleTest } from '../rules/kindrule.ts'
import { kindRules } from '../rules/kindrules.ts'
import {
  conditionsOf,
  type Health,
  type HealthProfile,
  isOld,
  type SeenCondition,
} from '../state/healthstate.ts'
import { type RuleFailure, ruleCel } from './compiledexpression.ts'
import { saidOf } from './messagepieces.ts'

/** Entries by `group/Kind` and `group/*`; those of group patterns apart. Made when first asked for. */
interface RuleIndex {
  readonly exact: ReadonlyMap<string, readonly KindRules[]>
  readonly patterns: readonly KindRules[]
  /** What was asked for before, by `group/Kind`. */
  readonly found: Map<string, readonly KindRules[]>
}

let index: RuleIndex | undefined

function indexed(): RuleIndex {
  if (index) return index
  const exact = new Map<string, KindRules[]>()
  const patterns: KindRules[] = []
  for (const entry of kindRules) {
    if (entry.group.startsWith('*.')) patterns.push(entry)
    else
      for (const kind of entry.kinds) {
        const key = `${entry.group}/${kind}`
        exact.set(key, [...(exact.get(key) ?? []), entry])
      }
  }
  index = { exact, patterns, found: new Map() }
  return index
}

/** The entries about a kind, the most exact first. */
export function rulesFor(group: string, kind: string): readonly KindRules[] {
  const { exact, patterns, found } = indexed()
  const key = `${group}/${kind}`
  let entries = found.get(key)
  if (!entries) {
    const wide = patterns.filter(
      (e) => isWithin(group, e.group) && (e.kinds === '*' || e.kinds.includes(kind)),
    )
    entries = [...(exact.get(key) ?? []), ...(exact.get(`${group}/*`) ?? []), ...wide]
    found.set(key, entries)
  }
  return entries
}

/** `aws.crossplane.io` and `crossplane.io` are within `*.crossplane.io`. */
const isWithin = (group: string, pattern: string): boolean =>
  group === pattern.slice(2) || group.endsWith(pattern.slice(1))

/** What was said of objects as they are: they are looked at often, and change seldom. Null: nothing. */
const said: Readonly<Record<HealthProfile, WeakMap<KubeObject, Health | null>>> = {
  Lockstep: new WeakMap(),
  Argo: new WeakMap(),
  KStatus: new WeakMap(),
}

/** What the first rule that is true says; undefined where no rule speaks of the object. */
export function tableHealth(o: KubeObject, profile: HealthProfile): Health | undefined {
  const entries = rulesFor(parseApiVersion(o.apiVersion).group, o.kind)
  if (entries.length === 0) return undefined
  let health = said[profile].get(o)
  if (health === undefined) {
    health = firstSpoken(entries, o, profile) ?? null
    said[profile].set(o, health)
  }
  return health ?? undefined
}

function firstSpoken(
  entries: readonly KindRules[],
  o: KubeObject,
  profile: HealthProfile,
): Health | undefined {
  for (const entry of entries) {
    if (entry.profile !== undefined && entry.profile !== profile) continue
    const rule = `${entry.group}/${entry.kinds === '*' ? '*' : o.kind}`
    for (const [i, row] of entry.rules.entries()) {
      const found = spoken(row, o)
      if (found === undefined) continue
      if (!('failure' in found)) return { ...found, rule }
      return { state: 'Unknown', message: `rule ${i + 1} of ${rule}: ${found.failure}`, rule }
    }
  }
  return undefined
}

function spoken(rule: KindRule, o: KubeObject): Health | RuleFailure | undefined {
  const seen = rule.when === undefined ? [] : holds(rule.when, o)
  if (seen === false) return undefined
  if ('failure' in seen) return seen
  const message = saidOf(rule, o, seen[0])
  return typeof message === 'string' ? { state: rule.state, message } : message
}

/** The conditions that a test has found, if it holds. */
function holds(test: RuleTest, o: KubeObject): readonly SeenCondition[] | RuleFailure | false {
  const found = test.conditions === undefined ? [] : conditionsFound(test.conditions, o)
  if (!found) return false
  if (test.path !== undefined && !isOneOf(at(o, ...test.path.split('.')), test.in ?? [])) return false
  if (test.isStale && !(test.conditions === undefined ? isStale(o) : found.some((c) => isOld(o, c))))
    return false
  if (test.cel === undefined) return found
  const verdict = ruleCel(test.cel, o)
  if (typeof verdict === 'object') return verdict
  if (typeof verdict !== 'boolean') return { failure: `${test.cel}: must give a bool` }
  return verdict && found
}

function conditionsFound(text: string, o: KubeObject): SeenCondition[] | undefined {
  const seen = conditionsOf(o)
  const found: SeenCondition[] = []
  for (const part of conditionParts(text)) {
    const c = seen.find((x) => x.type === part.type && isMeant(part, x))
    if (part.isAbsent ? seen.some((x) => x.type === part.type) : !c) return undefined
    if (c) found.push(c)
  }
  return found
}

interface ConditionPart {
  readonly type: string
  readonly isAbsent: boolean
  /** Of any status. */
  readonly isAny: boolean
  readonly isNot: boolean
  readonly status: string
  readonly reasons: readonly string[]
}

const isMeant = (part: ConditionPart, c: SeenCondition): boolean =>
  (part.isAny || (c.status === part.status) !== part.isNot) &&
  (part.reasons.length === 0 || part.reasons.includes(c.reason))

const parsed = new Map<string, readonly ConditionPart[]>()

/** `Ready=False/Failed|Error & Synced!=True & !Paused`. */
export function conditionParts(text: string): readonly ConditionPart[] {
  let parts = parsed.get(text)
  if (!parts) {
    parts = text.split(' & ').map((part) => {
      const [, not = '', type = '', sign = '', status = '', reasons = ''] =
        /^(!?)([^=!]+)(?:(!?=)([^/]*)(?:\/(.*))?)?$/.exec(part) ?? []
      const isAbsent = not === '!'
      return {
        type,
        isAbsent,
        isAny: sign === '',
        isNot: sign === '!=',
        status,
        reasons: reasons ? reasons.split('|') : [],
      }
    })
    parsed.set(text, parts)
  }
  return parts
}

function isOneOf(value: unknown, wanted: NonNullable<RuleTest['in']>): boolean {
  if (wanted.length === 0) return value === undefined || value === null || value === '' || isEmpty(value)
  return wanted.includes(value as string)
}

const isEmpty = (value: unknown): boolean =>
  isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value as object).length === 0

/** Some controllers write the generation as a text; some keep it with each condition. */
function isStale(o: KubeObject): boolean {
  const { generation } = o.metadata
  if (generation === undefined) return false
  const observed = at(o, 'status', 'observedGeneration')
  if (observed !== undefined) return isOlder(observed, generation)
  const conditions = at(o, 'status', 'conditions')
  return (isArray(conditions) ? conditions : []).some((c) => isOlder(at(c, 'observedGeneration'), generation))
}

const isOlder = (observed: unknown, generation: number): boolean => {
  if (typeof observed === 'string' && /^\d+$/.test(observed)) return Number(observed) < generation
  return typeof observed === 'number' && observed < generation
}
