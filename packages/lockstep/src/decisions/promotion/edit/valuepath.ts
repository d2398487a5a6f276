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
  if (steps === undefined) return source.refused(document.part.offset, { because: 'InvalidPath', path })
  let here = root!
  for (const [i, step] of steps.entries()) {
    const next = below(document, here, step)
    if (next.ok) {
      here = next.value
      continue
    }
    const above = i === 0 ? undefined : steps.slice(0, i).map(stepText).join('.').replaceAll('.[', '[')
    return missing(document, next.error, stepText(step), above)
  }
  return ok(here)
}

interface MissingPath {
  readonly at: number
  readonly why: 'PathMissing' | 'Merged' | 'AliasInPath' | 'Items'
  /** Present for `AliasInPath`. */
  readonly anchor?: string
  /** Present for `Items`. */
  readonly lines?: readonly string[]
}

const missed = (at: number, why: MissingPath['why'], of: Omit<MissingPath, 'at' | 'why'> = {}) =>
  err<MissingPath>(Object.assign({ at, why }, of))

function missing(
  { source }: YamlDocument,
  { at, why, anchor, lines = [] }: MissingPath,
  step: string,
  path: string | undefined,
): Result<never, EditRefusal> {
  switch (why) {
    case 'PathMissing':
      return source.refusedBy('NothingToEdit', at, { because: why, name: step, path })
    case 'Items':
      return source.refusedBy('PromotionTargetAmbiguous', at, {
        because: why,
        name: step,
        path,
        count: lines.length,
        lines,
      })
    default:
      return source.refused(at, { because: why, field: step, path, name: anchor })
  }
}

function below(
  document: YamlDocument,
  node: EditYamlNode,
  step: ValuePathStep,
): Result<EditYamlNode, MissingPath> {
  if (isLeaf(node) && node.kind === 'alias') return missed(node.start, 'AliasInPath', { anchor: node.text })
  if (isLeaf(node)) return missed(node.start, 'PathMissing')
  if (step.kind === 'key') {
    const found = node.members.find((m) => m.key?.text === step.key)
    if (found) return ok(found.value)
    const merged = node.members.find((m) => m.key?.text === '<<' && m.key.quotes === 'none')
    return merged ? missed(merged.key!.start, 'Merged') : missed(node.start, 'PathMissing')
  }
  if (step.kind === 'index') {
    const item = node.items[step.index]
    return item ? ok(item) : missed(node.start, 'PathMissing')
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
  if (found.length === 0) return missed(at, 'PathMissing')
  if (found.length === 1) return ok(found[0]!)
  return missed(at, 'Items', { lines: found.map((n) => String(document.source.place(n.start).line)) })
}

/** A member of a mapping that is a text, also where an alias stands for it. */
export function memberText({ aliases }: YamlDocument, node: EditYamlNode, key: string): string | undefined {
  if (isLeaf(node)) return undefined
  const value = node.members.find((m) => m.key?.text === key)?.value
  const meant = value && isLeaf(value) && value.kind === 'alias' ? aliases.get(value) : value
  return meant && isLeaf(meant) && meant.kind === 'scalar' ? meant.text : undefined
}
