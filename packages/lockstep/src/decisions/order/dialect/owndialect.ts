/** Our own annotations. */

import { compileReady, problemText } from '@lockstep/health/health'
import {
  at,
  isArray,
  isString,
  type JsonValue,
  type KubeObject,
  parseApiVersion,
  parseDuration,
} from '@lockstep/kube/object'
import { argoHook, argoHookDeletePolicy } from './argodialect.ts'
import { parseObjectReference, REFERENCE_FORM } from './objectreference.ts'
import {
  type AnnotationReader,
  type AnnotationRefusal,
  keysOf,
  type Need,
  type OrderDialect,
  oneOfValues,
} from './orderdialect.ts'

/** Which of several bundles in one it is of, one after the other. */
export const STEP_ANNOTATION = 'lockstep.dev/step'

const ASKS = ['Applied', 'Exists', 'Healthy', 'Complete'] as const

const dependsOn: AnnotationReader = (value) => {
  const needs = value.split(',').map(needOf)
  const known = needs.filter((n) => n !== undefined)
  return known.length === needs.length
    ? { needs: known }
    : { allowed: `${REFERENCE_FORM}, each with =${ASKS.join(', =')} or without` }
}

function needOf(text: string): Need | undefined {
  const [reference, word, ...more] = text.trim().split('=')
  const target = parseObjectReference(reference!)
  const ask = ASKS.find((a) => a === word)
  if (!target || more.length > 0 || (word !== undefined && !ask)) return undefined
  return { target, ...(ask ? { ask } : {}) }
}

const WAIT_FORM = 'a JSON list of {apiVersion, kind, name, namespace, when}'

const waitFor: AnnotationReader = (value, o) => {
  const list = jsonOf(value)
  if (!isArray(list) || list.length === 0) return { allowed: WAIT_FORM }
  const needs: Need[] = []
  for (const item of list) {
    const need = conditionOf(item, o)
    if ('allowed' in need || 'unsupported' in need) return need
    needs.push(need)
  }
  return { needs }
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Without a namespace that of the object is meant, or none where the kind has none. */
function conditionOf(item: JsonValue, o: KubeObject): Need | AnnotationRefusal {
  const [apiVersion, kind, name] = [at(item, 'apiVersion'), at(item, 'kind'), at(item, 'name')]
  const when = at(item, 'when')
  const namespace = at(item, 'namespace') ?? o.metadata.namespace
  if (!isString(apiVersion) || !isString(kind) || !isString(name) || (when !== undefined && !isString(when)))
    return { allowed: WAIT_FORM }
  const target = { ...parseApiVersion(apiVersion), kind, ...(isString(namespace) ? { namespace } : {}), name }
  if (when === undefined) return { target, ask: 'Exists' }
  const compiled = compileReady(when)
  if (!compiled.ok) return { allowed: `CEL over object in when: ${problemText(compiled.error)}` }
  return { target, ask: 'Expr', expression: when }
}

const hookTimeout: AnnotationReader = (value) => {
  const ms = parseDuration(value)
  return ms ? { timeoutSeconds: ms / 1000 } : { allowed: 'a duration such as 90s or 10m' }
}

const hookRetries: AnnotationReader = (value) =>
  /^([0-9]|10)$/.test(value) ? { retries: Number(value) } : { allowed: '0 to 10' }

/** The whole number of a step, without signs and zeros in front. */
const step: AnnotationReader = (value) =>
  /^(0|[1-9]\d{0,2})$/.test(value) ? { step: Number(value) } : { allowed: '0 to 999' }

export const ownDialect: OrderDialect = {
  name: 'Own',
  keys: keysOf({
    'lockstep.dev/depends-on': dependsOn,
    'lockstep.dev/wait-for': waitFor,
    [STEP_ANNOTATION]: step,
    'lockstep.dev/hook': argoHook,
    'lockstep.dev/hook-delete-policy': argoHookDeletePolicy,
    'lockstep.dev/hook-timeout': hookTimeout,
    'lockstep.dev/hook-retries': hookRetries,
    'lockstep.dev/apply': oneOfValues({
      Override: { mode: 'Override' },
      Merge: { mode: 'Merge' },
      IfNotPresent: { mode: 'IfNotPresent' },
      Ignore: { mode: 'Ignore' },
      Replace: { mode: 'Replace' },
      Observe: { mode: 'Observe' },
    }),
    'lockstep.dev/prune': oneOfValues({ Disabled: { options: { prune: false, delete: false } } }),
    'lockstep.dev/replace-immutable': oneOfValues({ true: { options: { replaceImmutable: true } } }),
  }),
}
