/** Metrics and labels of an expression of PromQL, as far as the table of metrics can judge them. */
import { METRICS, type Metric } from '../../packages/kube/src/env/metrics.ts'

/** Prometheus adds them to the metrics of a target. */
const TARGET = ['instance', 'job', 'pod']
const FUNCTIONS = new Set(
  'absent changes count group histogram_quantile humanize increase max min rate sort sum time vector'.split(
    ' ',
  ),
)
const WORDS = new Set('and by bool group_left group_right ignoring offset on or unless without'.split(' '))
const METRIC = /^(lockstep|process|nodejs)_/
const LABELS_OF = /\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g

const table = new Map<string, Metric>(Object.entries(METRICS))

/** `others`: names of metrics of the process and of Node. Returns all problems. */
export function expressionProblems(expr: string, others: ReadonlySet<string>): string[] {
  const problems = bracketProblems(expr)
  const known = new Set(TARGET)
  const text = expr.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  for (const [, name = '', matchers] of text.matchAll(/([a-z_][a-z0-9_]*)\s*(?:\{([^}]*)\})?/gi)) {
    if (!METRIC.test(name)) continue
    const labels = labelsOf(name, others)
    if (!labels) problems.push(`${name} is not a metric`)
    for (const label of labels ?? []) known.add(label)
    for (const matcher of (matchers ?? '').split(',').filter((m) => m.trim() !== '')) {
      const [, label = matcher] = /^\s*(\w+)\s*(?:=~|!~|!=|=)\s*""\s*$/.exec(matcher) ?? []
      if (labels && !labels.includes(label) && !TARGET.includes(label))
        problems.push(`${name} has no label ${label}`)
    }
  }
  for (const [, list = ''] of text.matchAll(LABELS_OF))
    for (const label of list.split(',').map((l) => l.trim()))
      if (!known.has(label)) problems.push(`no metric of the expression has the label ${label}`)
  const words = text.replace(LABELS_OF, '').replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
  for (const [word] of words.matchAll(/(?<![\w$])[a-z_]\w*/gi))
    if (!METRIC.test(word) && !FUNCTIONS.has(word) && !WORDS.has(word)) problems.push(`${word} is unknown`)
  return problems
}

/** Labels of a metric by its name in a scrape; undefined: the name is not known. */
function labelsOf(name: string, others: ReadonlySet<string>): readonly string[] | undefined {
  const metric = table.get(name)
  if (metric) return metric.type === 'histogram' ? undefined : metric.labels
  const [, base = '', suffix] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? []
  const histogram = table.get(base)
  if (histogram?.type === 'histogram')
    return suffix === 'bucket' ? [...histogram.labels, 'le'] : histogram.labels
  return others.has(name) ? [] : undefined
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' }

function bracketProblems(expr: string): string[] {
  const open: string[] = []
  for (const c of expr.replace(/"(?:[^"\\]|\\.)*"/g, ''))
    if (c in CLOSING) open.push(CLOSING[c]!)
    else if (')}]'.includes(c) && open.pop() !== c) return [`a bracket ${c} has no beginning`]
  return open.length === 0 ? [] : [`a bracket ${open.at(-1)} is missing`]
}
