/** Where objects may mention bindings, and where a mention is somebody else's. Pure. */
import {
  at,
  isArray,
  isObject,
  isString,
  type JsonValue,
  type KubeObject,
  refOf,
  refText,
} from '@lockstep/kube/object'
import { eachText, takenIn, textsOf } from './mention.ts'

/** A mention where none may be, for people. `secret`: names whose values come of Secrets. */
export function misplacedMention(
  objects: readonly KubeObject[],
  isDeclared: (name: string) => boolean,
  isSecret: (name: string) => boolean,
): string | undefined {
  for (const o of objects) {
    let problem: string | undefined
    eachText(textsOf(o) as unknown as JsonValue, (text, path) => {
      for (const name of takenIn(text))
        if (isDeclared(name)) problem ??= problemOf(o, path, name, isSecret(name))
    })
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOf(
  o: KubeObject,
  path: readonly string[],
  name: string,
  isSecret: boolean,
): string | undefined {
  const where = `${refText(refOf(o))}: ${path.join('.')} mentions $(${name})`
  const [first, second] = path
  if (first === 'apiVersion' || first === 'kind')
    return `${where}: what an object is cannot depend on a value`
  const isName = first === 'metadata' && (second === 'name' || second === 'generateName')
  if (isName && o.kind === 'CustomResourceDefinition')
    return `${where}: the name of a definition cannot depend on a value`
  if (isSecret && first === 'metadata')
    return `${where}: its value is from a Secret, and metadata is readable without access to Secrets; use it in the content only`
  return undefined
}

/** A mention in a part of a module where bindings are not replaced: `spec.source.git.url`. */
export function mentionOutside(
  part: unknown,
  where: string,
  isDeclared: (name: string) => boolean,
): string | undefined {
  let problem: string | undefined
  eachText(part as JsonValue, (text, path) => {
    const name = takenIn(text).find(isDeclared)
    if (name !== undefined)
      problem ??= `${[where, ...path].join('.')} mentions $(${name}): bindings are replaced in manifests only`
  })
  return problem
}

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers']

/**
 * `Deployment apps/web: container web: REGION`: names that are variables of a container, too. Kubernetes would have replaced
 * them by those.
 */
export function shadowedVariables(
  objects: readonly KubeObject[],
  isDeclared: (name: string) => boolean,
): string[] {
  const found: string[] = []
  for (const o of objects) for (const pod of podSpecs(o)) found.push(...shadowsOf(o, pod, isDeclared))
  return found
}

function shadowsOf(o: KubeObject, pod: JsonValue, isDeclared: (name: string) => boolean): string[] {
  return CONTAINERS.flatMap((list) => {
    const containers = at(pod, list)
    return (isArray(containers) ? containers : []).flatMap((c) => {
      const env = at(c, 'env')
      const variables = new Set((isArray(env) ? env : []).map((e) => at(e, 'name')).filter(isString))
      const names = new Set<string>()
      eachText(c, (text) => {
        for (const name of takenIn(text)) if (variables.has(name) && isDeclared(name)) names.add(name)
      })
      const container = at(c, 'name')
      return [...names]
        .sort()
        .map((n) => `${refText(refOf(o))}: container ${isString(container) ? container : '?'}: ${n}`)
    })
  })
}

/** Pod templates, wherever an object has them. */
function podSpecs(o: KubeObject): JsonValue[] {
  const paths = [['spec'], ['spec', 'template', 'spec'], ['spec', 'jobTemplate', 'spec', 'template', 'spec']]
  return paths.map((p) => at(o, ...p)).filter((p): p is JsonValue => isObject(p) && isArray(p.containers))
}
