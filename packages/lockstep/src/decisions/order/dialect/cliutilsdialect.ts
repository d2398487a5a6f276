/** cli-utils, which kpt and Config Sync apply with (`pkg/object`, `pkg/apply/filter`). */
import {
  at,
  isArray,
  isSecret,
  isString,
  type JsonValue,
  type KubeObject,
  parseApiVersion,
  parseYamlStream,
  refText,
  YamlError,
} from '@lockstep/kube/object'
import { parseMutationPath } from '../mutationpath.ts'
import type { AnnotationTarget, Mutation } from '../orderoptions.ts'
import { parseObjectReference, REFERENCE_FORM, targetKey } from './objectreference.ts'
import { type AnnotationReader, keysOf, noEffect, type OrderDialect } from './orderdialect.ts'

const dependsOn: AnnotationReader = (value) => {
  const targets = value.split(',').map(parseObjectReference)
  const known = targets.filter((t) => t !== undefined)
  const isOnce = new Set(known.map(targetKey)).size === targets.length
  return isOnce ? { needs: known.map((target) => ({ target })) } : { allowed: `${REFERENCE_FORM}, each once` }
}

const MUTATION_FORM = 'a YAML list of sourceRef {kind, name}, sourcePath, targetPath and token'

const applyTimeMutation: AnnotationReader = (value, o) => {
  const mutations = mutationsOf(value, o)
  if (!mutations) return { allowed: MUTATION_FORM }
  for (const m of mutations) {
    const problem = problemOf(m, o)
    if (problem !== undefined) return { unsupported: problem }
  }
  // A Pod that is copied from runs; it need not have ended.
  return {
    options: { mutations },
    needs: mutations.map(({ source }) => ({ target: source, ask: 'Healthy' })),
  }
}

/** What names an object, or is its mark, is not copied. */
const FIXED = [['apiVersion'], ['kind'], ['metadata'], ['metadata', 'name'], ['metadata', 'namespace']]

/** Why a value cannot be copied, as far as the two objects' names and this manifest tell. */
function problemOf({ source, sourcePath, targetPath, token }: Mutation, o: KubeObject): string | undefined {
  if (isSecret(source) && !isSecret(o))
    return `it copies from ${refText(source)} into a ${o.kind}, which is readable without access to Secrets; copy into a Secret`
  const from = parseMutationPath(sourcePath)
  if (!from.ok) return `sourcePath ${from.error}`
  const to = parseMutationPath(targetPath)
  if (!to.ok) return `targetPath ${to.error}`
  if (FIXED.some((path) => path.join() === to.value.join()))
    return `targetPath ${targetPath} names the object itself`
  const there = at(o, ...to.value)
  if (there === undefined)
    return `targetPath ${targetPath} is not in the manifest; give it a value to be replaced`
  return token === undefined || isString(there)
    ? undefined
    : `targetPath ${targetPath} is not a text, so that it holds no token`
}

function mutationsOf(text: string, o: KubeObject): Mutation[] | undefined {
  const list = yamlOf(text)
  if (!isArray(list) || list.length === 0) return undefined
  const found = list.map((item) => mutationOf(item, o)).filter((m) => m !== undefined)
  return found.length === list.length ? found : undefined
}

function yamlOf(text: string): JsonValue | undefined {
  try {
    return parseYamlStream(text)[0]
  } catch (e) {
    if (e instanceof YamlError) return undefined
    throw e
  }
}

function mutationOf(item: JsonValue, o: KubeObject): Mutation | undefined {
  const source = sourceOf(at(item, 'sourceRef'), o)
  const [sourcePath, targetPath, token] = [at(item, 'sourcePath'), at(item, 'targetPath'), at(item, 'token')]
  if (!source || !isString(sourcePath) || !isString(targetPath)) return undefined
  return { source, sourcePath, targetPath, ...(isString(token) && token !== '' ? { token } : {}) }
}

/** A group goes before an apiVersion; the namespace is that of the object it is copied into. */
function sourceOf(ref: JsonValue | undefined, o: KubeObject): AnnotationTarget | undefined {
  const [kind, name] = [at(ref, 'kind'), at(ref, 'name')]
  if (!isString(kind) || !isString(name) || kind === '' || name === '') return undefined
  const [group, apiVersion] = [at(ref, 'group'), at(ref, 'apiVersion')]
  const type =
    isString(group) && group !== ''
      ? { group }
      : isString(apiVersion)
        ? parseApiVersion(apiVersion)
        : { group: '' }
  const namespace = at(ref, 'namespace') ?? o.metadata.namespace
  return { ...type, kind, ...(isString(namespace) && namespace !== '' ? { namespace } : {}), name }
}

export const cliUtilsDialect: OrderDialect = {
  name: 'CliUtils',
  keys: keysOf({
    'config.kubernetes.io/depends-on': dependsOn,
    'config.kubernetes.io/apply-time-mutation': applyTimeMutation,
    'client.lifecycle.config.k8s.io/deletion': (value) =>
      value === 'detach' ? { options: { prune: false, delete: false } } : {},
    'cli-utils.sigs.k8s.io/on-remove': (value) =>
      value === 'keep' ? { options: { prune: false, delete: false } } : {},
    'client.lifecycle.config.k8s.io/mutation': (value) =>
      value === 'ignore' ? { mode: 'IfNotPresent' } : {},
    'config.k8s.io/owning-inventory': noEffect,
  }),
}
