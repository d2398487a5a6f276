import { healthOf } from '../../../packages/health/src/health/health.ts'
import { kstatusOf } from '../../../packages/health/src/health/kstatus.ts'
import type { Health } from '../../../packages/health/src/state/healthstate.ts'
import type { JsonObject, JsonValue, KubeObject } from '../../../packages/kube/src/object/index.ts'
import { at, isString, parseTimestampMs } from '../../../packages/kube/src/object/index.ts'
import { BadInput, type Case, type CaseResult, type ConformanceKind } from '../conformancekind.ts'
import { listOf, objectOf, textOf } from '../datashape.ts'

/** Rules for all kinds: with these, none for the kind of the object has spoken. */
const FOR_ALL = /^(existence|conditions|observedGeneration|status\.\w+)$/

/** Recorded health: of kstatus with its conditions, of Argo CD with its messages. The name of the file says which. */
export const health: ConformanceKind = {
  files: /(^|\/)(kstatus|argocd[\w-]*)\.jsonl$/,
  parse: (line, file) => (/^kstatus/.test(file) ? kstatusCase(line) : argoCase(line)),
}

function kstatusCase(line: JsonValue): Case {
  const o = objectOf(line, 'case', [
    'id',
    'object',
    'expectedStatus',
    'expectedConditions',
    'absentConditionTypes',
    'now',
  ])
  const object = kubeObject(o.object)
  const expected = textOf(o.expectedStatus, 'expectedStatus')
  const conditions = listOf(o.expectedConditions, 'expectedConditions').map((c) =>
    objectOf(c, 'condition', ['type', 'status', 'reason']),
  )
  const absent = listOf(o.absentConditionTypes, 'absentConditionTypes').map((t) => textOf(t, 'type'))
  const now = o.now === undefined ? 0 : timeOf(o.now)
  return {
    id: textOf(o.id, 'id'),
    run(): CaseResult {
      const got = kstatusOf(object, now)
      const found = got.conditions.map(shown)
      const wrong = got.status === expected ? [] : [`status: expected ${expected} got ${got.status}`]
      for (const c of conditions.map(shown))
        if (!found.includes(c)) wrong.push(`conditions: expected ${c} got ${found.join(', ') || 'none'}`)
      for (const c of got.conditions)
        if (absent.includes(c.type)) wrong.push(`conditions: expected no ${c.type} got ${shown(c)}`)
      return { differences: wrong }
    },
  }
}

const shown = (c: {
  readonly type?: unknown
  readonly status?: unknown
  readonly reason?: unknown
}): string => `${c.type}=${c.status}/${c.reason}`

function argoCase(line: JsonValue): Case {
  const o = objectOf(line, 'case', ['id', 'group', 'kind', 'object', 'expected'])
  const group = textOf(o.group, 'group')
  // Some have neither: the line says which check they are for.
  const apiVersion = isString(at(o.object, 'apiVersion'))
    ? at(o.object, 'apiVersion')
    : `${group}${group && '/'}v1`
  const object = kubeObject({
    apiVersion: apiVersion!,
    kind: textOf(o.kind, 'kind'),
    ...(o.object as JsonObject),
  })
  const expected = objectOf(o.expected, 'expected', ['status', 'message'])
  const status = expected.status === null ? null : textOf(expected.status, 'expected.status')
  return {
    id: textOf(o.id, 'id'),
    run(): CaseResult {
      const got = healthOf(object, 0, undefined, 'Argo')
      const differences = statusProblems(status, got)
      if (expected.message === undefined) return { differences }
      return {
        differences,
        said: { expected: textOf(expected.message, 'expected.message'), got: got.message },
      }
    },
  }
}

/** `null`: no check of this kind speaks. */
function statusProblems(expected: string | null, got: Health): string[] {
  if (expected === null)
    return FOR_ALL.test(got.rule ?? '') ? [] : [`status: expected no rule of its kind got ${got.rule}`]
  const from = got.rule === undefined ? '' : ` (${got.rule}: ${got.message})`
  return got.state === expected ? [] : [`status: expected ${expected} got ${got.state}${from}`]
}

function kubeObject(v: JsonValue | undefined): KubeObject {
  if (typeof v !== 'object' || v === null || Array.isArray(v)) throw new BadInput('object must be an object')
  const object = v as JsonObject
  return { metadata: {}, ...object } as unknown as KubeObject
}

function timeOf(v: JsonValue): number {
  const ms = parseTimestampMs(textOf(v, 'now'))
  if (ms === undefined) throw new BadInput('now must be a time')
  return ms
}
