/** Objects for programs: JSON, YAML, names. */
import { encodeYaml, isSecret, type Kind, type KubeObject, withoutManagers } from '@lockstep/kube/object'
import { type CommandContext, nameOf, type OutputFormat } from '../index.ts'

/** Prints in a format for programs; false when the format is one for people. */
export function printData(c: CommandContext, value: unknown, names: readonly string[]): boolean {
  const format: OutputFormat = c.globals.output
  switch (format) {
    case 'json':
      c.terminal.data(`${prettyJson(value)}\n`)
      return true
    case 'yaml':
      c.terminal.data(encodeYaml(value))
      return true
    case 'name':
      for (const name of names) c.terminal.data(`${name}\n`)
      return true
    default:
      return false
  }
}

/** Integers that a double cannot hold are written as they are. */
function prettyJson(value: unknown): string {
  const whole: string[] = []
  const text = JSON.stringify(
    value,
    (_, v) => (typeof v === 'bigint' ? `\u0000${whole.push(v.toString()) - 1}\u0000` : v),
    2,
  )
  return text.replace(/"\\u0000(\d+)\\u0000"/g, (_, i: string) => whole[Number(i)]!)
}

export interface PrintedObject {
  readonly kind: Kind
  readonly object: KubeObject
}

/** One object as it is, several as a list: as kubectl does. */
export function printObjects(c: CommandContext, objects: readonly PrintedObject[]): boolean {
  const shown = objects.map((o) => forPrograms(o.object))
  const names = objects.map((o) => nameOf(o.kind, o.object.metadata.name ?? ''))
  return printData(c, shown.length === 1 ? shown[0] : listOf(shown), names)
}

const MASK = '***'
const MASKED = ['data', 'stringData']
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Without what only servers read (`managedFields`, as kubectl does), and without the values of a Secret. */
export function forPrograms(o: KubeObject): KubeObject {
  const shown = withoutManagers(o)
  if (!isSecret(o)) return shown
  const { metadata } = shown
  const { [LAST_APPLIED]: written, ...annotations } = metadata.annotations ?? {}
  const masked = MASKED.flatMap((f) => (o[f] ? [[f, maskEach(o[f])] as const] : []))
  return {
    ...shown,
    ...Object.fromEntries(masked),
    metadata: written === undefined ? metadata : { ...metadata, annotations },
  }
}

const maskEach = (values: object): object => Object.fromEntries(Object.keys(values).map((key) => [key, MASK]))

/** A list as kubectl prints lists. */
export const listOf = (items: readonly KubeObject[]) => ({
  apiVersion: 'v1',
  kind: 'List',
  metadata: { resourceVersion: '' },
  items,
})
