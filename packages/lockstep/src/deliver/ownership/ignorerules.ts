/** Fields that are left to others (`spec.apply.ignore`). Pure. */

import { FieldSet, fieldsIn, pathOfPointer, toFieldsV1, withoutFields } from '@lockstep/kube/fields'
import {
  digestOf,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  matchesSelector,
  parseApiVersion,
} from '@lockstep/kube/object'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { type FieldOwners, fieldOwnersOf } from './fieldowners.ts'

type IgnoreRule = NonNullable<ModuleSpec['apply']['ignore']>[number]

/** What the rules say of one object. */
export interface IgnoreRules {
  /** JSON pointers, as steps. */
  readonly paths: readonly (readonly string[])[]
  readonly managers: readonly string[]
}

/** Undefined: no rule is for it. */
export function ignoreRulesFor(
  rules: readonly IgnoreRule[] | undefined,
  o: KubeObject,
): IgnoreRules | undefined {
  const own = (rules ?? []).filter((r) => isFor(r, o))
  const paths = own.flatMap((r) => r.paths ?? []).map(stepsOf)
  const managers = own.flatMap((r) => r.managers ?? [])
  return paths.length + managers.length === 0 ? undefined : { paths, managers }
}

function isFor({ target }: IgnoreRule, o: KubeObject): boolean {
  if (!target) return true
  const is = (wanted: string | undefined, found: string | undefined): boolean =>
    wanted === undefined || wanted === (found ?? '')
  return (
    is(target.group, parseApiVersion(o.apiVersion).group) &&
    is(target.kind, o.kind) &&
    is(target.name, o.metadata.name) &&
    is(target.namespace, o.metadata.namespace) &&
    (target.labelSelector === undefined ||
      matchesSelector(target.labelSelector as Parameters<typeof matchesSelector>[0], o.metadata.labels))
  )
}

const stepsOf = (pointer: string): string[] =>
  pointer
    .slice(1)
    .split('/')
    .map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The fields of the manifest that are others' business on an object that is there, by path and by manager. */
function fieldsLeft(manifest: KubeObject, ignored: IgnoreRules, { ours, others }: FieldOwners) {
  const value = manifest as unknown as JsonObject
  const all = others.reduce((sum, o) => sum.union(o.fields), ours ?? FieldSet.empty)
  const paths = FieldSet.fromPaths(ignored.paths.flatMap((p) => [pathOfPointer(p, value, all) ?? []]))
  const managed = others
    .filter((o) => ignored.managers.includes(o.manager))
    .reduce((sum, o) => sum.union(fieldsIn(value, o.fields.leaves(), all)), FieldSet.empty)
  return { paths, managed, left: paths.union(managed), all }
}

/** The manifest as it is applied to an object that is there. */
export function withoutIgnored(manifest: KubeObject, ignored: IgnoreRules, live: LiveObject): KubeObject {
  const { left, all } = fieldsLeft(manifest, ignored, fieldOwnersOf(live))
  return withoutFields(manifest as unknown as JsonValue, left, all) as unknown as KubeObject
}

/**
 * What we own of the fields that are left to others, and nobody else does: an apply without them would take them off
 * the object, so that they have to be given up first. Undefined: nothing.
 */
export function fieldsToRelease(
  manifest: KubeObject,
  ignored: IgnoreRules,
  owners: FieldOwners,
): FieldSet | undefined {
  const { ours, others } = owners
  if (!ours) return undefined
  const { left } = fieldsLeft(manifest, ignored, owners)
  const held = ours.difference(ours.recursiveDifference(left))
  const alone = others.reduce((sum, o) => sum.difference(o.fields), held)
  return alone.isEmpty ? undefined : held
}

/** An object without what would be given up first: a dry run cannot do that, and would take it off. */
export function withoutReleasedFields(
  o: KubeObject,
  manifest: KubeObject,
  ignored: IgnoreRules,
  owners: FieldOwners,
): KubeObject {
  const held = fieldsToRelease(manifest, ignored, owners)
  if (!held) return o
  return withoutFields(o as unknown as JsonValue, held, owners.ours!) as unknown as KubeObject
}

/**
 * Digest of the fields that we own and answer for: what others do to the rest is no drift. Undefined: we own nothing.
 */
export function managedFieldsDigest(
  live: LiveObject,
  manifest: KubeObject,
  ignored: IgnoreRules | undefined,
): string | undefined {
  if (!ignored) return live.fields
  const before = answered.get(live)
  if (before?.ignored === ignored && before.manifest === manifest) return before.fields
  const fields = answer(fieldOwnersOf(live), manifest, ignored)
  answered.set(live, { manifest, ignored, fields })
  return fields
}

/** Asked for at each look, and the same as long as nothing happens. */
const answered = new WeakMap<
  LiveObject,
  { readonly manifest: KubeObject; readonly ignored: IgnoreRules; readonly fields: string | undefined }
>()

function answer(owners: FieldOwners, manifest: KubeObject, ignored: IgnoreRules): string | undefined {
  if (!owners.ours) return undefined
  const { paths, managed } = fieldsLeft(manifest, ignored, owners)
  return digestOf('fields/1', toFieldsV1(owners.ours.union(managed).recursiveDifference(paths)))
}
