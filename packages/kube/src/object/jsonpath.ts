import { isArray, isObject, type JsonValue, member } from './json.ts'

/**
 * The JSONPaths of printer columns: members, indexes, `[*]`, and filters by equality, as in
 * `.status.conditions[?(@.type=="Ready")].status` (client-go util/jsonpath). All matches, in order.
 */
export function jsonPath(root: JsonValue | undefined, path: string): JsonValue[] {
  let found: JsonValue[] = root === undefined ? [] : [root]
  for (const step of stepsOf(path)) found = found.flatMap((v) => take(v, step))
  return found
}

type JsonPathStep =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'where'; readonly path: string; readonly equals: string; readonly isNot: boolean }

const known = new Map<string, readonly JsonPathStep[]>()
const STEP =
  /\.?\['((?:[^'\\]|\\.)*)'\]|\.?\["((?:[^"\\]|\\.)*)"\]|\[\?\(\s*@((?:\.[\w-]+|\[[^\]]*\])+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*\)\]|\[(-?\d+)\]|\[\*\]|\.\*|\.((?:[^.[\\]|\\.)+)/gy

function stepsOf(path: string): readonly JsonPathStep[] {
  const cached = known.get(path)
  if (cached) return cached
  const text = path.replace(/^\{/, '').replace(/\}$/, '').replace(/^\$/, '')
  const steps: JsonPathStep[] = []
  for (const m of (text.startsWith('.') || text.startsWith('[') ? text : `.${text}`).matchAll(STEP))
    steps.push(stepOf(m))
  // A process sees few paths; a hostile one must not fill the memory.
  if (known.size < 10_000) known.set(path, steps)
  return steps
}

function stepOf(m: RegExpMatchArray): JsonPathStep {
  const quoted = m[1] ?? m[2]
  if (quoted !== undefined) return { kind: 'member', name: quoted.replaceAll(/\\(.)/g, '$1') }
  if (m[3] !== undefined)
    return { kind: 'where', path: m[3], isNot: m[4] === '!=', equals: m[5] ?? m[6] ?? m[7] ?? '' }
  if (m[8] !== undefined) return { kind: 'index', index: Number(m[8]) }
  if (m[9] !== undefined) return { kind: 'member', name: m[9].replaceAll(/\\(.)/g, '$1') }
  return { kind: 'all' }
}

function take(v: JsonValue, step: JsonPathStep): JsonValue[] {
  switch (step.kind) {
    case 'member': {
      const next = member(v, step.name)
      return next === undefined ? [] : [next]
    }
    case 'index': {
      const next = isArray(v) ? v.at(step.index) : undefined
      return next === undefined ? [] : [next]
    }
    case 'all':
      if (isArray(v)) return [...v]
      return isObject(v) ? (Object.values(v).filter((x) => x !== undefined) as JsonValue[]) : []
    case 'where':
      if (!isArray(v)) return []
      return v.filter((x) => jsonPath(x, step.path).some((y) => String(y) === step.equals) !== step.isNot)
  }
}
