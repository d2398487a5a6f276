/** Values of annotations: each reader says what is wrong with a text, and what to write instead. */

import { compileReady, problemText } from '@lockstep/health/health'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  isArray,
  isObject,
  JsonSyntaxError,
  type JsonValue,
  parseDuration,
  parseJson,
} from '@lockstep/kube/object'
import { type DependsOnEdge, dnsName, edges } from '../../api/kinds/index.ts'
import type { Amount } from '../rollout/policy.ts'

/** `path`: inside the value; `value`: as JSON, unless the fault is deep inside it. */
export interface SettingFault {
  readonly path?: string
  readonly value?: string
  readonly error: string
}

export type SettingReader<T> = (text: string) => Result<T, SettingFault>

export const faulty = (text: string, error: string) =>
  err<SettingFault>({ value: JSON.stringify(text), error })

export const yesOrNo: SettingReader<boolean> = (text) =>
  text === 'true' || text === 'false'
    ? ok(text === 'true')
    : faulty(text, 'neither true nor false; write "true" or "false"')

export const oneOf =
  <T extends string>(...values: readonly T[]): SettingReader<T> =>
  (text) => {
    const found = values.find((v) => v === text)
    return found === undefined ? faulty(text, `unknown; write ${listed(values)}`) : ok(found)
  }

const listed = (values: readonly string[]): string => `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`

/** In milliseconds. */
export const duration =
  (least: string, most: string): SettingReader<number> =>
  (text) => {
    const ms = parseDuration(text)
    if (ms === undefined) {
      const [short, long] = /^[0-9]+$/.test(text) ? [`${text}s`, `${text}m`] : ['30s', '10m']
      return faulty(text, `not a duration; write "${short}" or "${long}"`)
    }
    if (ms < parseDuration(least)!) return faulty(text, `shorter than ${least}; write ${least} to ${most}`)
    return ms > parseDuration(most)! ? faulty(text, `longer than ${most}; write ${least} to ${most}`) : ok(ms)
  }

export const amount: SettingReader<Amount> = (text) => {
  if (/^0+%?$/.test(text))
    return faulty(text, 'nothing would ever begin; write "1" or more, or set lockstep.dev/paused: "true"')
  if (/^[0-9]{1,9}$/.test(text)) return ok(Number(text))
  return /^([0-9]{1,2}|100)%$/.test(text)
    ? ok(text)
    : faulty(text, 'neither a number of clusters nor 1% to 100% of them; write "3" or "10%"')
}

export const anyText: SettingReader<string> = (text) => ok(text)

export const nameOfSet: SettingReader<string> = (text) =>
  dnsName.safeParse(text).success
    ? ok(text)
    : faulty(text, 'no name of a ClusterResourceSet; write its metadata.name')

const EXAMPLE = '[{"id": "cni", "module": {"kind": "Module", "name": "cni"}}]'

/** As `Module.spec.dependsOn`, with the rules that its schema leaves to the API server; what it does not know is refused. */
export const edgesOf: SettingReader<readonly DependsOnEdge[]> = (text) => {
  let given: JsonValue
  try {
    given = parseJson(text)
  } catch (e) {
    if (!(e instanceof JsonSyntaxError)) throw e
    return err({ error: `not JSON from character ${e.offset + 1}; write such as ${EXAMPLE}` })
  }
  if (!isArray(given)) return err({ error: `not a list; write such as ${EXAMPLE}` })
  const read = edges.safeParse(given)
  const issue = read.error?.issues[0]
  if (issue) return err({ path: pathText(issue.path as SettingPath), error: issue.message })
  const fault = unknownMember(given, read.data as unknown as JsonValue, []) ?? ruleFault(read.data!)
  return fault === undefined ? ok(read.data!) : err(fault)
}

type SettingPath = readonly (string | number)[]
const pathText = (path: SettingPath): string =>
  path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')

/** A member that was given and is not there any more: the schema has none of its name. */
function unknownMember(given: JsonValue, read: JsonValue, path: SettingPath): SettingFault | undefined {
  const steps: SettingPath = isArray(given) ? [...given.keys()] : isObject(given) ? Object.keys(given) : []
  for (const step of steps) {
    const below = (read as Record<string, JsonValue>)[step]
    const here = [...path, step]
    if (below === undefined)
      return { path: pathText(here), error: 'unknown; Module.spec.dependsOn has no such member' }
    const fault = unknownMember((given as Record<string, JsonValue>)[step]!, below, here)
    if (fault !== undefined) return fault
  }
  return undefined
}

function ruleFault(all: readonly DependsOnEdge[]): SettingFault | undefined {
  const fault = (path: string, error: string): SettingFault => ({ path, error })
  for (const [i, { id, module, object, readyExpr, beforeWave }] of all.entries()) {
    if (all.findIndex((e) => e.id === id) < i)
      return fault(`[${i}].id`, `${JSON.stringify(id)} is a duplicate; use one id for each`)
    if ((module === undefined) === (object === undefined))
      return fault(`[${i}]`, `exactly one of module and object; write such as ${EXAMPLE}`)
    if (beforeWave !== undefined && module === undefined)
      return fault(`[${i}].beforeWave`, 'is for module; an object is in no wave')
    if (readyExpr === undefined) continue
    if (object === undefined)
      return fault(`[${i}].readyExpr`, 'is for object; a module is ready when it is verified')
    const compiled = compileReady(readyExpr)
    if (!compiled.ok) return fault(`[${i}].readyExpr`, problemText(compiled.error))
  }
  return undefined
}
