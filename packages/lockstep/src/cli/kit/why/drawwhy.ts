/** The tree as lines. */
import { type Actor, actorOf } from '../../../api/reasons/index.ts'
import { warningLines } from '../snapshot/index.ts'
import {
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
import { rootsOf, type WhyNode, type WhyTree } from './whytree.ts'

/** Columns that are always left for what a node says. */
const MIN_TEXT = 12

interface TreeLine {
  readonly left: string
  readonly node: WhyNode
}

/** `platform/web on prod-eu`, `pipeline platform/podinfo in prod`. */
function nameOf({ namespace, module, cluster }: WhyTree): string {
  const pipeline = /^pipeline\/(.+)$/.exec(module)?.[1]
  return pipeline === undefined
    ? `${namespace}/${module} on ${cluster}`
    : `pipeline ${namespace}/${pipeline} in ${cluster}`
}

/** An environment is no place of its own blockers: they name it. */
const placeOf = ({ module, cluster }: WhyNode): string =>
  module.startsWith('pipeline/') ? '' : ` on ${cluster}`

export function drawWhy(t: Terminal, tree: WhyTree, nowMs: number): string[] {
  const unit = nameOf(tree)
  if (tree.state === 'ready')
    return [
      t.paint('green', `✔ ${unit} is ready${tree.has ? ` at ${tree.has}` : ''}: it waits for nothing`),
      ...warningLines(t, tree.warnings),
    ]
  const roots = rootsOf(tree.causes)
  const lines = linesOf(tree.causes, '')
  const { width } = t.look
  const reason = Math.max(...lines.map((l) => widthOf(l.node.reason)))
  const left = Math.min(Math.max(...lines.map((l) => widthOf(l.left))), width - reason - MIN_TEXT - 4)
  const drawn = lines.flatMap(({ left: text, node }) => {
    const room = width - left - reason - 4
    const isRoot = roots.includes(node)
    const said = node.isAbove ? `${node.text}: see above` : withRemaining(shortText(node.text), nowMs)
    const line = `${padEnd(cut(text, left), left)}  ${t.paint(isRoot ? 'red' : 'yellow', padEnd(node.reason, reason))}  ${cut(said, room)}`
    if (!isRoot) return [line.trimEnd()]
    const seen = node.since ? `, first seen ${ageText(node.since, nowMs)} ago` : ''
    const mark = `▲ root cause${seen}`
    const indent = Math.min(left + reason + 4, width - widthOf(mark))
    return [line.trimEnd(), `${' '.repeat(Math.max(0, indent))}${t.paint('red', mark)}`]
  })
  return [
    headline(t, tree, unit, nowMs),
    ...drawn,
    ...below(t, tree, roots),
    ...warningLines(t, tree.warnings),
  ]
}

function headline(t: Terminal, tree: WhyTree, unit: string, nowMs: number): string {
  const keeps = tree.has && tree.has !== tree.wants ? `keeps ${tree.has}, ` : ''
  const what = tree.state === 'failed' ? 'and has failed' : 'and waits'
  const wants = tree.wants === '' ? '' : `wants ${tree.wants} `
  const line = `${t.paint('bold', unit)} ${keeps}${wants}${what.slice(tree.wants === '' && keeps === '' ? 4 : 0)}`
  const since = tree.since ? `since ${ageText(tree.since, nowMs)}` : ''
  const beside = `${line}   ${since}`.trimEnd()
  if (widthOf(beside) <= t.look.width) return beside
  return [wrap(line, t.look.width - 2, 2), `  ${since}`].join('\n').trimEnd()
}

/** The node's text without what its reason says already. */
const shortText = (text: string): string => text.replace(/^Back-off pulling image "([^"]*)": /, '$1: ')

function linesOf(nodes: readonly WhyNode[], indent: string): TreeLine[] {
  return nodes.flatMap((node, i) => {
    const isLast = i === nodes.length - 1
    const branch = isLast ? '└─ ' : '├─ '
    const below = linesOf(node.children, `${indent}${isLast ? '   ' : '│  '}`)
    return [{ left: `${indent}${branch}${node.label}`, node }, ...below]
  })
}

const nodesOf = (nodes: readonly WhyNode[]): WhyNode[] => nodes.flatMap((n) => [n, ...nodesOf(n.children)])

function below(t: Terminal, tree: WhyTree, roots: readonly WhyNode[]): string[] {
  const { width } = t.look
  const behind = [
    ...(tree.clustersBehind > 0 ? [`${tree.module} on ${plural(tree.clustersBehind, 'other cluster')}`] : []),
    ...(tree.modulesBehind.length > 0
      ? [`the ${tree.modulesBehind.length === 1 ? 'module' : 'modules'} ${listText(tree.modulesBehind)}`]
      : []),
  ]
  const old =
    tree.has && tree.has !== tree.wants ? ` Old content (${tree.has}) stays applied and repaired.` : ''
  const also = behind.length > 0 ? `Also behind this: ${listText(behind)}.` : ''
  const first = `${also}${old}`.trim()
  const named = roots.map((r) => `Root cause: ${r.label}${placeOf(r)}: ${r.reason}: ${r.text}`)
  const told = listText([
    ...new Set(nodesOf(tree.causes).flatMap((n) => (n.rule ? [`${n.label} by ${n.rule}`] : []))),
  ])
  const rules = told === '' ? '' : `Health rules: ${told}.`
  const advised = [...new Set(roots.map(advice))]
  return [...named, rules, first, ...advised].filter((x) => x !== '').map((x) => wrap(x, width - 2, 2))
}

/** What a person can do about a root cause. */
export function advice(root: WhyNode): string {
  const publish = `publish another revision of ${root.module}`
  switch (root.reason) {
    case 'ImagePullBackOff':
    case 'ErrImagePull':
      return `What you can do: make the image available (name, registry, pull secret), or ${publish}.`
    case 'CrashLoopBackOff':
      return `What you can do: kubectl logs ${root.label.replace('Pod ', '')} on ${root.cluster}, or ${publish}.`
    case 'Unreachable':
      return 'What you can do: bring the cluster back; delivery goes on by itself.'
  }
  const actor = actorOf(root.reason)
  if (actor === undefined) return `What you can do: look at ${root.label} on ${root.cluster}, or ${publish}.`
  return actor === 'none' ? 'Nothing to do: it passes by itself.' : `What you can do: ${ACTIONS[actor]}.`
}

const ACTIONS: Readonly<Record<Actor, string>> = {
  none: 'it passes by itself',
  cause: 'it ends when its cause does',
  approver: 'the release manager decides',
  author: "the module's author changes the module or its manifests",
  owner: 'the owner of the other object or field has to let go',
  platform: 'the platform team repairs it',
}
