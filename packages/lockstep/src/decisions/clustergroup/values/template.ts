/** Templates in values: references to other values, and nothing else of Go's. */
import { isArray, isObject, member } from '@lockstep/kube/object'
import type { ValuesField } from './field.ts'
import { templateText } from './gotext.ts'
import type { Group } from './group.ts'
import { shownValue } from './notes.ts'

/** An action between its braces; dashes take the blanks of the text around them away. */
const REFERENCE = /^\{\{(-\s)?\s*\$?\.Values((?:\.[\p{L}_][\p{L}\p{N}_]*)+)(?:\s*|\s+(-))\}\}$/u

/** `f` with what its references mean; where something else is in braces, it is refused. */
export function evaluateTemplate(g: Group, f: ValuesField): ValuesField {
  let [made, rest] = ['', f.text]
  for (;;) {
    const open = rest.indexOf('{{')
    if (open < 0) return f.as(made + rest)
    const close = rest.indexOf('}}', open)
    const action = rest.slice(open, close < 0 ? undefined : close + 2)
    const [, trimsLeft, path, trimsRight] = REFERENCE.exec(action) ?? []
    const value = path === undefined ? undefined : valueAt(g, path.slice(1).split('.'), f)
    if (path === undefined)
      f.refuse(` uses ${shownAction(action)}; render.clusterGroup evaluates only .Values references`, {
        todo: 'use render.helm',
      })
    if (value === undefined) return f.as('')
    const before = made + rest.slice(0, open)
    made = (trimsLeft ? before.trimEnd() : before) + value
    rest = rest.slice(open + action.length)
    if (trimsRight) rest = rest.trimStart()
  }
}

const LONG = 60
const shownAction = (action: string): string =>
  `"${action.length > LONG ? `${action.slice(0, LONG - 1)}…` : action}"`

/** Undefined: what is above it is not a map, which is refused. */
function valueAt(g: Group, path: readonly string[], f: ValuesField): string | undefined {
  let here = g.values.value
  for (const [i, name] of path.entries()) {
    if (!isObject(here)) {
      const above = ['.Values', ...path.slice(0, i)].join('.')
      const what = here === undefined ? 'not there' : isArray(here) ? 'a list' : shownValue(here)
      f.refuse(` uses .Values.${path.join('.')}: ${above} is ${what}, which has no ${name}`, {
        todo: 'set it',
      })
      return undefined
    }
    here = member(here, name)
  }
  return templateText(here)
}
