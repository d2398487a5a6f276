import type { CelValue } from '../value/celvalue.ts'
import { ACCUMULATOR, type CelExpr, type Make } from './celexpr.ts'
import type { FoundAt } from './celproblem.ts'

/** What a macro sees: its place, its target and arguments, and makers of nodes at its place. */
interface Macro {
  readonly at: number
  readonly target: CelExpr
  readonly args: readonly CelExpr[]
  readonly make: Make
  readonly literal: (value: CelValue) => CelExpr
  readonly call: (fn: string, ...args: CelExpr[]) => CelExpr
  readonly method: (fn: string, target: CelExpr) => CelExpr
  readonly ident: (name: string) => CelExpr
  readonly items: (...items: CelExpr[]) => CelExpr
}

type Expansion = CelExpr | FoundAt

/** Replaces the call of a macro. Undefined where the name and number of arguments are none of a macro. */
export function expandMacro(
  make: Make,
  at: number,
  fn: string,
  args: readonly CelExpr[],
  target?: CelExpr,
): Expansion | undefined {
  if (!target) return fn === 'has' && args.length === 1 ? expandHas(make, at, args[0]!) : undefined
  const macro = MACROS[`${fn}/${args.length}`]
  return macro?.({
    at,
    target,
    args,
    make,
    literal: (value) => make({ kind: 'literal', at, value }),
    call: (name, ...operands) => make({ kind: 'call', at, fn: name, args: operands }),
    method: (name, receiver) => make({ kind: 'call', at, fn: name, target: receiver, args: [] }),
    ident: (name) => make({ kind: 'ident', at, name }),
    items: (...items) =>
      make({ kind: 'list', at, elements: items.map((value) => ({ value, optional: false })) }),
  })
}

function expandHas(make: Make, at: number, arg: CelExpr): Expansion {
  if (arg.kind !== 'select') return { at: arg.at, message: 'invalid argument to has() macro' }
  return make({ kind: 'select', at, operand: arg.operand, field: arg.field, test: true })
}

/** The parts of a loop that differ between macros; one or two variables come first in the arguments. */
interface MacroLoop {
  readonly init: CelExpr
  readonly condition?: CelExpr
  readonly step: CelExpr
  readonly result?: CelExpr
}

const accumulated = (m: Macro): CelExpr => m.ident(ACCUMULATOR)

function loop(
  m: Macro,
  variables: 1 | 2,
  complaint: string,
  parts: (rest: readonly CelExpr[]) => MacroLoop,
): Expansion {
  const names = m.args.slice(0, variables)
  for (const name of names) if (name.kind !== 'ident') return { at: name.at, message: complaint }
  const [variable, second] = names.map((n) => (n.kind === 'ident' ? n.name : ''))
  if (second !== undefined && second === variable)
    return { at: names[1]!.at, message: `duplicate variable name: ${variable}` }
  for (const [i, name] of [variable, second].entries())
    if (name === '__result__')
      return { at: names[i]!.at, message: 'iteration variable overwrites accumulator variable' }
  const { init, condition, step, result } = parts(m.args.slice(variables))
  return m.make({
    kind: 'fold',
    at: m.at,
    range: m.target,
    variable: variable!,
    ...(second !== undefined && { second }),
    accumulator: ACCUMULATOR,
    init,
    condition: condition ?? m.literal(true),
    step,
    result: result ?? accumulated(m),
  })
}

const SIMPLE_NAME = 'argument must be a simple name'
const IDENTIFIER = 'argument is not an identifier'
const goOn = (m: Macro, going: CelExpr): CelExpr => m.call('@not_strictly_false', going)

const all = (n: 1 | 2) => (m: Macro) =>
  loop(m, n, SIMPLE_NAME, ([test]) => ({
    init: m.literal(true),
    condition: goOn(m, accumulated(m)),
    step: m.call('_&&_', accumulated(m), test!),
  }))

const exists = (n: 1 | 2) => (m: Macro) =>
  loop(m, n, SIMPLE_NAME, ([test]) => ({
    init: m.literal(false),
    condition: goOn(m, m.call('!_', accumulated(m))),
    step: m.call('_||_', accumulated(m), test!),
  }))

const existsOne = (n: 1 | 2) => (m: Macro) =>
  loop(m, n, SIMPLE_NAME, ([test]) => ({
    init: m.literal(0n),
    step: m.call('_?_:_', test!, m.call('_+_', accumulated(m), m.literal(1n)), accumulated(m)),
    result: m.call('_==_', accumulated(m), m.literal(1n)),
  }))

/** The last argument makes an item, one before it says of which elements. */
const collect = (n: 1 | 2, complaint: string) => (m: Macro) =>
  loop(m, n, complaint, (rest) => {
    const step = m.call('_+_', accumulated(m), m.items(rest.at(-1)!))
    return { init: m.items(), step: where(m, rest, step) }
  })

const where = (m: Macro, rest: readonly CelExpr[], step: CelExpr): CelExpr =>
  rest.length === 2 ? m.call('_?_:_', rest[0]!, step, accumulated(m)) : step

const filter = (m: Macro) =>
  loop(m, 1, IDENTIFIER, ([test]) => {
    const step = m.call('_+_', accumulated(m), m.items(m.args[0]!))
    return { init: m.items(), step: m.call('_?_:_', test!, step, accumulated(m)) }
  })

const emptyMap = (m: Macro): CelExpr => m.make({ kind: 'map', at: m.at, entries: [] })

const transformMap = (m: Macro) =>
  loop(m, 2, SIMPLE_NAME, (rest) => {
    const key = m.args[0]!.kind === 'ident' ? m.args[0]!.name : ''
    const step = m.call('cel.@mapInsert', accumulated(m), m.ident(key), rest.at(-1)!)
    return { init: emptyMap(m), step: where(m, rest, step) }
  })

const transformMapEntry = (m: Macro) =>
  loop(m, 2, SIMPLE_NAME, (rest) => ({
    init: emptyMap(m),
    step: where(m, rest, m.call('cel.@mapInsert', accumulated(m), rest.at(-1)!)),
  }))

/** `target.optMap(x, e)`: e of the value, if there is one. The target is computed twice, and costs twice. */
const optional =
  (name: string, wrap: boolean) =>
  (m: Macro): Expansion => {
    const [variable, body] = m.args
    if (variable!.kind !== 'ident')
      return { at: variable!.at, message: `${name}() variable name must be a simple identifier` }
    const bound = m.make({
      kind: 'fold',
      at: m.at,
      range: m.items(),
      variable: '#unused',
      accumulator: variable!.name,
      init: m.method('value', copied(m.make, m.target)),
      condition: m.literal(false),
      step: m.ident(variable!.name),
      result: body!,
    })
    const present = m.method('hasValue', m.target)
    return m.call('_?_:_', present, wrap ? m.call('optional.of', bound) : bound, m.call('optional.none'))
  }

/** The same expression with numbers of its own. */
function copied(make: Make, e: CelExpr): CelExpr {
  const again = (x: CelExpr): CelExpr => copied(make, x)
  if (e.kind === 'select') return make({ ...e, operand: again(e.operand) })
  if (e.kind === 'call')
    return make({ ...e, ...(e.target && { target: again(e.target) }), args: e.args.map(again) })
  if (e.kind === 'list')
    return make({ ...e, elements: e.elements.map((x) => ({ ...x, value: again(x.value) })) })
  if (e.kind === 'map')
    return make({ ...e, entries: e.entries.map((x) => ({ ...x, key: again(x.key), value: again(x.value) })) })
  if (e.kind !== 'fold') return make(e)
  const { range, init, condition, step, result } = e
  return make({
    ...e,
    range: again(range),
    init: again(init),
    condition: again(condition),
    step: again(step),
    result: again(result),
  })
}

const MACROS: Readonly<Record<string, (m: Macro) => Expansion>> = {
  'all/2': all(1),
  'all/3': all(2),
  'exists/2': exists(1),
  'exists/3': exists(2),
  'exists_one/2': existsOne(1),
  'exists_one/3': existsOne(2),
  'existsOne/2': existsOne(1),
  'existsOne/3': existsOne(2),
  'map/2': collect(1, IDENTIFIER),
  'map/3': collect(1, IDENTIFIER),
  'filter/2': filter,
  'transformList/3': collect(2, SIMPLE_NAME),
  'transformList/4': collect(2, SIMPLE_NAME),
  'transformMap/3': transformMap,
  'transformMap/4': transformMap,
  'transformMapEntry/3': transformMapEntry,
  'transformMapEntry/4': transformMapEntry,
  'optMap/2': optional('optMap', true),
  'optFlatMap/2': optional('optFlatMap', false),
}
