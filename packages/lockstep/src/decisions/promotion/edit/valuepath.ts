/** A value by its path: `spec.chart.spec.version`, `images[0]`, `containers[name=app].image`, `annotations["a.b/c"]`. */
import { err, ok, type Result } from '@lockstep/kube/env'
import type { EditRefusal } from './editresult.ts'
import type { YamlDocument } from './yamldocument.ts'
import { type EditYamlNode, isLeaf } from './yamlnode.ts'

type ValuePathStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'named'; readonly key: string; readonly is: string }

const STEP = /\.?([^.=[\]"'\s]+)|\[(\d+)\]|\[([^.=[\]"'\s]+)=([^[\]]+)\]|\["([^"]+)"\]/y

/** Undefined: it is none; the schema of edits says what is. */
export function valuePathSteps(path: string): ValuePathStep[] | undefined {
  const steps: ValuePathStep[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path)
    if (!found) return undefined
    const [, key, index, named, is, quoted] = found
    if (index !== undefined) steps.push({ kind: 'index', index: Number(index) })
    else if (named !== undefined) steps.push({ kind: 'named', key: named, is: is! })
    else steps.push({ kind: 'key', key: key ?? quoted! })
  }
  return steps
}

const stepText = (s: ValuePathStep): string =>
  s.kind === 'index' ? `[${s.index}]` : s.kind === 'named' ? `[${s.key}=${s.is}]` : s.key

/** The value at a path. What is not there is never made. */
export function valueAt(document: YamlDocument, path: string): Result<EditYamlNode, EditRefusal> {
  const { source, root } = document
  const steps = valuePathSteps(path)
  if (steps === undefined) return source.refused(document.part.offset, `${path} is no path; correct it`)
  let here = root!
  for (const [i, step] of steps.entries()) {
    const next = below(document, here, step)
    if (next.ok) {
      here = next.value
      continue
    }
    const { at, why, reason } = next.error
    const text = i === 0 ? '' : ` below ${steps.slice(0, i).map(stepText).join('.').replaceAll('.[', '[')}`
    return source.refused(at, `${stepText(step)}${text} ${why}`, reason)
  }
  return ok(here)
}

interface MissingPath {
  readonly at: number
  readonly why: string
  readonly reason: EditRefusal['reason']
}

const missed = (at: number, why: string, reason: EditRefusal['reason'] = 'NothingToEdit') =>
  err<MissingPath>({ at, why, reason })

const NOT_THERE = 'is not there, and nothing is added; correct the path, or write it once'

function below(
  document: YamlDocument,
  node: EditYamlNode,
  step: ValuePathStep,
): Result<EditYamlNode, MissingPath> {
  if (isLeaf(node) && node.kind === 'alias')
    return missed(node.start, `stands behind the alias *${node.text}; write it out here`, 'EditRefused')
  if (isLeaf(node)) return missed(node.start, NOT_THERE)
  if (step.kind === 'key') {
    const found = node.members.find((m) => m.key?.text === step.key)
    if (found) return ok(found.value)
    const merged = node.members.find((m) => m.key?.text === '<<' && m.key.quotes === 'none')
    return merged
      ? missed(
          merged.key!.start,
          'may come from << here, and is not changed there; write it out',
          'EditRefused',
        )
      : missed(node.start, NOT_THERE)
  }
  if (step.kind === 'index') {
    const item = node.items[step.index]
    return item ? ok(item) : missed(node.start, NOT_THERE)
  }
  return named(document, node.items, node.start, step)
}

function named(
  document: YamlDocument,
  items: readonly EditYamlNode[],
  at: number,
  { key, is }: Extract<ValuePathStep, { kind: 'named' }>,
): Result<EditYamlNode, MissingPath> {
  const found = items.filter((item) => memberText(document, item, key) === is)
  if (found.length === 0) return missed(at, NOT_THERE)
  if (found.length === 1) return ok(found[0]!)
  const places = found.map((n) => document.source.place(n.start).line).join(', ')
  return missed(
    at,
    `is there ${found.length} times, on lines ${places}; use [0] or other keys`,
    'PromotionTargetAmbiguous',
  )
}

/** A member of a mapping that is a text, also where an alias stands for it. */
export function memberText({ aliases }: YamlDocument, node: EditYamlNode, key: string): string | undefined {
  if (isLeaf(node)) return undefined
  const value = node.members.find((m) => m.key?.text === key)?.value
  const meant = value && isLeaf(value) && value.kind === 'alias' ? aliases.get(value) : value
  return meant && isLeaf(meant) && meant.kind === 'scalar' ? meant.text : undefined
}
