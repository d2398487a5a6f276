/** kapp Config objects of a bundle: read, not applied (`pkg/kapp/config/config.go`). */

import type { HealthText } from '@lockstep/health/health'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  at,
  encodeJson,
  isString,
  type JsonValue,
  type KubeObject,
  refOf,
  refText,
} from '@lockstep/kube/object'
import { manifestValues } from '../manifestvalues.ts'
import { type OrderFailure, orderFailure } from '../ordergraph.ts'
import type { WeighedRule } from '../orderoptions.ts'
import type { AnnotationNote } from './dialects.ts'
import { isMatcher, kappMatches, MATCHER_NAMES } from './kappmatch.ts'
import { kappGroupText, kappRuleOf } from './kapprule.ts'
import type { AnnotationEffect } from './orderdialect.ts'

export const isKappConfig = (o: KubeObject): boolean =>
  o.kind === 'Config' && o.apiVersion === 'kapp.k14s.io/v1alpha1'

/** One entry of a list of a Config. */
interface KappConfigEntry {
  readonly config: KubeObject
  readonly list: 'changeGroupBindings' | 'changeRuleBindings' | 'waitRules'
  readonly index: number
  readonly value: JsonValue
}

const LISTS = ['changeGroupBindings', 'changeRuleBindings', 'waitRules'] as const

const NONE = ok([])

/** kapp's own weights of bindings begin here; annotations have 0. */
const FIRST_WEIGHT = 100

/** What the Configs of a bundle say of each other object, as if it were annotated so. */
export function kappConfigs(
  configs: readonly KubeObject[],
): Result<(o: KubeObject) => Result<readonly AnnotationNote[], OrderFailure>, OrderFailure> {
  const entries = configs.flatMap(entriesOf)
  for (const e of entries) {
    const problem = problemOf(e)
    if (problem) return err(problem)
  }
  const rules = entries.filter((e) => e.list === 'changeRuleBindings')
  if (entries.length === 0) return ok(() => NONE)
  return ok((o) => {
    const notes: AnnotationNote[] = []
    for (const e of entries) {
      if (!manifestValues(at(e.value, 'resourceMatchers')).some((m) => kappMatches(m, o))) continue
      // Of a rule of waiting the first that matches counts.
      if (e.list === 'waitRules' && notes.some((n) => n.effect.options?.health)) continue
      const effect = effectOf(e, FIRST_WEIGHT + rules.indexOf(e), o)
      if (!effect.ok) return effect
      notes.push({ dialect: 'Kapp', key: `kapp.k14s.io/v1alpha1 Config ${placeOf(e)}`, effect: effect.value })
    }
    return ok(notes)
  })
}

const placeOf = (e: KappConfigEntry): string => `${e.list}[${e.index}]`

const entriesOf = (config: KubeObject): KappConfigEntry[] =>
  LISTS.flatMap((name) =>
    manifestValues(at(config, name)).map((value, index) => ({ config, list: name, index, value })),
  )

function problemOf(e: KappConfigEntry): OrderFailure | undefined {
  const unknown = manifestValues(at(e.value, 'resourceMatchers')).find((m) => !isMatcher(m))
  if (unknown !== undefined) return invalid(e, 'resourceMatchers', unknown, MATCHER_NAMES)
  if (e.list === 'changeGroupBindings' && !isString(at(e.value, 'name')))
    return invalid(e, 'name', at(e.value, 'name') ?? null, 'the name of a group')
  const rule =
    e.list === 'changeRuleBindings'
      ? manifestValues(at(e.value, 'rules')).find((r) => !isString(r))
      : undefined
  if (rule !== undefined) return invalid(e, 'rules', rule, 'texts')
  if (e.list === 'waitRules' && at(e.value, 'ytt')) {
    const place = { object: refText(refOf(e.config)), key: `${placeOf(e)}.ytt` }
    return orderFailure('UnsupportedAnnotation', { ...place, detail: 'write conditionMatchers' })
  }
  return undefined
}

const invalid = (e: KappConfigEntry, member: string, value: JsonValue, allowed: string): OrderFailure =>
  orderFailure('InvalidAnnotation', {
    object: refText(refOf(e.config)),
    key: `${placeOf(e)}.${member}`,
    value: encodeJson(value),
    allowed,
  })

function effectOf(e: KappConfigEntry, weight: number, o: KubeObject): Result<AnnotationEffect, OrderFailure> {
  if (e.list === 'waitRules') return ok({ options: { health: healthOf(e.value) } })
  if (e.list === 'changeGroupBindings') {
    const name = at(e.value, 'name') as string
    const group = kappGroupText(name, o)
    return 'text' in group ? ok({ groups: [group.text] }) : refusedFor(e, 'name', name, group, o)
  }
  const rules: WeighedRule[] = []
  for (const text of manifestValues(at(e.value, 'rules')) as readonly string[]) {
    const rule = kappRuleOf(text, o)
    if (!('action' in rule)) return refusedFor(e, 'rules', text, rule, o)
    rules.push({ ...rule, weight, ignoreIfCyclical: at(e.value, 'ignoreIfCyclical') === true })
  }
  return ok({ rules })
}

function refusedFor(
  e: KappConfigEntry,
  member: string,
  value: string,
  why: { readonly allowed: string } | { readonly unsupported: string },
  o: KubeObject,
): Result<AnnotationEffect, OrderFailure> {
  const allowed = 'allowed' in why ? why.allowed : why.unsupported
  return err(invalid(e, member, value, `${allowed} (${refText(refOf(o))})`))
}

/** Conditions as CEL: failures first, then successes, as kapp asks (`custom_waiting_resource.go`). */
function healthOf(rule: JsonValue): HealthText {
  const conditions = manifestValues(at(rule, 'conditionMatchers'))
  const having = (member: string): string =>
    conditions
      .filter((c) => at(c, member) === true)
      .map(conditionText)
      .join(' || ')
  const [failed, unblocks] = [having('failure'), having('unblockChanges')]
  const isObserved = at(rule, 'supportsObservedGeneration') === true
  return {
    ...(isObserved ? { inProgress: UNOBSERVED } : {}),
    ...(failed ? { failed } : {}),
    current: having('success') || 'false',
    ...(unblocks ? { unblocks } : {}),
  }
}

const UNOBSERVED =
  '!has(object.status) || !has(object.status.observedGeneration) || object.status.observedGeneration != object.metadata.generation'

function conditionText(c: JsonValue): string {
  const text = (member: string): string => encodeJson(at(c, member) ?? '')
  const observed =
    at(c, 'supportsObservedGeneration') === true
      ? ' && has(c.observedGeneration) && c.observedGeneration == object.metadata.generation'
      : ''
  return `(has(object.status) && has(object.status.conditions) && object.status.conditions.exists(c, c.type == ${text('type')} && c.status == ${text('status')}${observed}))`
}
