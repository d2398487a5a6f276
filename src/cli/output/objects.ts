/** Objects for programs: JSON, YAML, names. */
import { encodeYaml, type KubeObject } from '../../object/object.ts'
import type { Context, OutputFormat } from '../command.ts'

/** Prints in a format for programs; false when the format is one for people. */
export function printData(c: Context, value: unknown, names: readonly string[]): boolean {
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

/** A list as kubectl prints lists. */
export const listOf = (items: readonly KubeObject[]) => ({
  apiVersion: 'v1',
  kind: 'List',
  metadata: { resourceVersion: '' },
  items,
})
