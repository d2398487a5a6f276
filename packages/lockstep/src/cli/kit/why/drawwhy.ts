/** The tree as lines. */
import { type Cause, rootsOf } from '../../../decisions/answer/index.ts'
import { warningLines } from '../snapshot/index.ts'
import {
  adviceLine,
  ageText,
  cut,
  listText,
  padEnd,
  plural,
  type Terminal,
  widthOf,
  withRemaining,
  wrap,
} from '../terminal/index.ts'
import type { WhyTree } from './whytree.ts'

/** Columns that are always left for the text of a cause. */
const MIN_TEXT = 12

interface TreeLine {
  readonly left: string
  readonly cause: Cause
}

/** `platform/web on prod-eu`, `platform/web` as a whole, `pipeline platform/podinfo in prod`. */
function nameOf({ namespace, module, cluster }: WhyTree): string {
  const pipeline = /^pipeline\/(.+)$/.exec(module)?.[1]
  if (cluster === '') return `${namespace}/${module}`
  return pipeline === undefined
    ? `${namespace}/${module} on ${cluster}`
    : `pipeline ${namespace}/${pipeline} in ${cluster}`
}

/** Blockers of an environment name it themselves. */
const placeOf = ({ module, cluster, label }: Cause): string =>
  cluster === '' || module.startsWith('pipeline/') || label.endsWith(` on ${cluster}`) ? '' : ` on ${cluster}`

export function drawWhy(t: Terminal, tree: WhyTree, nowMs: number): string[] {
  const unit = nameOf(tree)
  const warnings = warningLines(t, tree.warnings)
  if (tree.state === 'ready')
    return [t.paint('green', `✔ ${unit} is ready${tree.has ? ` at ${tree.has}` : ''}`), ...warnings]
  const roots = rootsOf(tree.causes)
  const lines = linesOf(tree.causes, '')
  const { width } = t.look
  const reason = Math.max(0, ...lines.map((l) => widthOf(l.cause.reason)))
  const widest = Math.max(0, ...lines.map((l) => widthOf(l.left)))
  const left = Math.min(widest, width - reason - MIN_TEXT - 4)
  const drawn = lines.flatMap(({ left: text, cause }) => {
    const room = width - left - reason - 4
    const isRoot = roots.includes(cause)
    const said = cause.isAbove ? `${cause.text}: see above` : withRemaining(cause.text, cause.until, nowMs)
    const line = `${padEnd(cut(text, left), left)}  ${t.paint(isRoot ? 'red' : 'yellow', padEnd(cause.reason, reason))}  ${cut(said, room)}`
    if (!isRoot) return [line.trimEnd()]
    const seen = cause.since ? `, first seen ${ageText(cause.since, nowMs)} ago` : ''
    const mark = `▲ root cause${seen}`
    const indent = Math.min(left + reason + 4, width - widthOf(mark))
    return [line.trimEnd(), `${' '.repeat(Math.max(0, indent))}${t.paint('red', mark)}`]
  })
  return [headline(t, tree, unit, nowMs), ...drawn, ...below(t, tree, roots), ...warnings]
}

function headline(t: Terminal, tree: WhyTree, unit: string, nowMs: number): string {
  const state = tree.state === 'failed' ? 'failed' : 'waiting'
  const at = tree.has && tree.has !== tree.wants ? ` at ${tree.has}, pending ${tree.wants}` : ''
  const target = at === '' && tree.wants !== '' ? ` for ${tree.wants}` : at
  const line = `${t.paint('bold', unit)} ${state}${target}`
  const since = tree.since ? `since ${ageText(tree.since, nowMs)}` : ''
  const beside = `${line}   ${since}`.trimEnd()
  if (widthOf(beside) <= t.look.width) return beside
  return [wrap(line, t.look.width - 2, 2), `  ${since}`].join('\n').trimEnd()
}

function linesOf(causes: readonly Cause[], indent: string): TreeLine[] {
  return causes.flatMap((cause, i) => {
    const isLast = i === causes.length - 1
    const branch = isLast ? '└─ ' : '├─ '
    const children = linesOf(cause.children, `${indent}${isLast ? '   ' : '│  '}`)
    return [{ left: `${indent}${branch}${cause.label}`, cause }, ...children]
  })
}

/** Messages for other tools end with the advice, which has a line of its own here. */
const withoutAdvice = ({ text, advice }: Cause): string =>
  advice !== undefined && text.endsWith(`; ${advice}`) ? text.slice(0, -advice.length - 2) : text

const allOf = (causes: readonly Cause[]): Cause[] => causes.flatMap((c) => [c, ...allOf(c.children)])

function below(t: Terminal, tree: WhyTree, roots: readonly Cause[]): string[] {
  const others = [
    ...(tree.clustersBehind > 0 ? [`${tree.module} on ${plural(tree.clustersBehind, 'other cluster')}`] : []),
    ...(tree.modulesBehind.length > 0
      ? [`${tree.modulesBehind.length === 1 ? 'Module' : 'Modules'} ${listText(tree.modulesBehind)}`]
      : []),
  ]
  const old = tree.has && tree.has !== tree.wants ? `${tree.has} stays deployed; drift is reverted.` : ''
  const also = others.length > 0 ? `Also blocked: ${listText(others)}.` : ''
  const named = roots.map((r) => `Root cause: ${r.label}${placeOf(r)}: ${r.reason}: ${withoutAdvice(r)}`)
  const rules = [...new Set(allOf(tree.causes).flatMap((n) => (n.rule ? [`${n.label} by ${n.rule}`] : [])))]
  const advised = [...new Set(roots.map((r) => adviceLine(r.reason, r.advice, r.module)))]
  const health = rules.length === 0 ? '' : `Health rules: ${listText(rules)}.`
  return [...named, health, `${also} ${old}`.trim(), ...advised]
    .filter((x) => x !== '')
    .map((x) => wrap(x, t.look.width - 2, 2))
}
