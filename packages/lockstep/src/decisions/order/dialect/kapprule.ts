/** Groups and rules of changes as kapp writes them (`diffgraph/change_group_name.go`, `change_rule.go`). */
import { at, isString, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { definedKind } from '../definedkind.ts'
import type { ChangeRule } from '../orderoptions.ts'
import type { AnnotationRefusal } from './orderdialect.ts'

const RULE_FORM = '(upsert|delete) (before|after) (upserting|deleting) GROUP'

/** A group's name with its placeholders filled in by the object. */
export function kappGroupText(text: string, o: KubeObject): { readonly text: string } | AnnotationRefusal {
  const values = placeholders(o)
  let wrong: string | undefined
  const filled = text.replace(/\{.+?\}/g, (placeholder) => {
    const value = values.get(placeholder)
    if (!value) wrong ??= placeholder
    return value ?? ''
  })
  const known = [...values.keys()].join(' ')
  return wrong === undefined
    ? { text: filled }
    : { allowed: `placeholders that the object has a value for, of ${known}` }
}

function placeholders(o: KubeObject): ReadonlyMap<string, string | undefined> {
  const isDefinition = definedKind(o) !== undefined
  const part = (...path: string[]): string | undefined => {
    const value = isDefinition ? at(o, ...path) : undefined
    return isString(value) ? value : undefined
  }
  return new Map([
    ['{name}', o.metadata.name],
    ['{namespace}', o.metadata.namespace],
    ['{kind}', o.kind],
    ['{api-group}', parseApiVersion(o.apiVersion).group],
    ['{crd-kind}', part('spec', 'names', 'kind')],
    ['{crd-group}', part('spec', 'group')],
  ])
}

export function kappRuleOf(text: string, o: KubeObject): ChangeRule | AnnotationRefusal {
  const filled = kappGroupText(text, o)
  if (!('text' in filled)) return filled
  const parts = /^(upsert|delete) (before|after) (upserting|deleting) (\S+)$/.exec(filled.text)
  if (!parts) return { allowed: RULE_FORM }
  const [, action, order, other, group] = parts
  return { action, order, other, group } as ChangeRule
}

export const kappRuleText = (r: ChangeRule): string => `${r.action} ${r.order} ${r.other} ${r.group}`
