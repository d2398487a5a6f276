/** The text that a health rule says of an object. Pure. */
import { at, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import type { KindRule } from '../rules/kindrule.ts'
import { conditionsOf, type SeenCondition, textOfCondition } from '../state/healthstate.ts'
import { type RuleFailure, ruleCel } from './compiledexpression.ts'

type MessagePiece =
  | { readonly text: string }
  | { readonly path: readonly string[]; readonly fallback: string }
  | { readonly cel: string }

/** `status.phase`, `status.message|nothing said`, `conditions.app.io/ready.reason`. */
const PATH = /^(conditions\.[\w./-]+|[A-Za-z_]\w*(?:\.\w+)*)(?:\|([^|].*))?$/

const known = new Map<string, readonly MessagePiece[]>()

/** Literal text, paths and CEL of a message. Braces within CEL have to be in pairs. */
export function messagePieces(message: string): readonly MessagePiece[] {
  let pieces = known.get(message)
  if (!pieces) {
    pieces = cut(message)
    known.set(message, pieces)
  }
  return pieces
}

function cut(message: string): MessagePiece[] {
  const pieces: MessagePiece[] = []
  let from = 0
  while (from < message.length) {
    const open = message.indexOf('{', from)
    if (open < 0) break
    if (open > from) pieces.push({ text: message.slice(from, open) })
    let depth = 1
    let end = open + 1
    for (; end < message.length && depth > 0; end++) depth += { '{': 1, '}': -1 }[message[end]!] ?? 0
    const inner = message.slice(open + 1, end - 1)
    const [, path, fallback = ''] = PATH.exec(inner) ?? []
    pieces.push(path === undefined ? { cel: inner } : { path: path.split('.'), fallback })
    from = end
  }
  if (from < message.length) pieces.push({ text: message.slice(from) })
  return pieces
}

/** What a rule says. What is not healthy says something, be it only what the rule has looked at. */
export function saidOf(
  rule: KindRule,
  o: KubeObject,
  condition: SeenCondition | undefined,
): string | RuleFailure {
  const said = rule.message === undefined ? (condition?.message ?? '') : filled(rule.message, o, condition)
  if (typeof said !== 'string' || said.trim() !== '' || rule.state === 'Healthy') return said
  return condition ? textOfCondition(condition) : looked(rule, o)
}

function looked({ when }: KindRule, o: KubeObject): string {
  if (when?.path === undefined) return 'its controller has not said anything yet'
  const path = when.path.split('.')
  const word = textOf(at(o, ...path))
  return word === '' ? `no ${path.at(-1)} yet` : `${path.at(-1)} ${word}`
}

function filled(message: string, o: KubeObject, condition: SeenCondition | undefined): string | RuleFailure {
  let said = ''
  for (const piece of messagePieces(message)) {
    if ('text' in piece) said += piece.text
    else if ('path' in piece) said += textOf(valueAt(piece.path, o, condition)) || piece.fallback
    else {
      const value = ruleCel(piece.cel, o)
      if (typeof value === 'object') return value
      said += textOf(value)
    }
  }
  return said
}

/** `condition` is the one that the test has found; `conditions.Ready.reason` is of the condition of that type. */
function valueAt(path: readonly string[], o: KubeObject, condition: SeenCondition | undefined) {
  if (path[0] === 'condition') return at({ condition }, ...path)
  if (path[0] !== 'conditions') return at(o, ...path)
  const type = path.slice(1, -1).join('.')
  return at(
    conditionsOf(o).find((c) => c.type === type),
    path.at(-1)!,
  )
}

const textOf = (v: JsonValue | undefined): string =>
  typeof v === 'string' ? v : v === undefined || v === null || typeof v === 'object' ? '' : String(v)
