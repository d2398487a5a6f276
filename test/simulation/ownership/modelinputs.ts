/** Random inputs of the ownership model: a platform, and all that happens to it. */
import fc from 'fast-check'
import { PARTS } from './modelobject.ts'
import type { Fault } from './modelprocess.ts'

export const RINGS = ['blue', 'green'] as const

const ACTS: readonly string[] = [
  ...[
    'move',
    'move',
    'switch',
    'rename',
    'rename',
    'relabel',
    'relabel',
    'split',
    'merge',
    'remove',
    'recreate',
  ],
  ...['loosen', 'declare', 'declare', 'version', 'drop'],
]

/** An event; its numbers choose among the Modules and units that exist then. */
export type ModelCommand =
  | { readonly type: 'act'; readonly act: string; readonly a: number; readonly b: number; readonly c: number }
  /** One reconcile of a unit, or of a Module. */
  | { readonly type: 'unit' | 'module'; readonly a: number; readonly fault: Fault | undefined }
  /** The next revision of a Module becomes its target. */
  | { readonly type: 'advance'; readonly a: number }
  /** Each Module and each unit is reconciled once. */
  | { readonly type: 'round'; readonly a: number }
  | { readonly type: 'crash' | 'resume' }

interface ModelModuleInput {
  /** By index of the part. */
  readonly parts: readonly number[]
  readonly ring: string
  readonly needs: readonly { readonly on: number; readonly optional: boolean }[]
}

export interface ModelInput {
  readonly rings: readonly string[]
  readonly modules: readonly ModelModuleInput[]
  /** A Namespace exists on each cluster before the first Module. */
  readonly hasExisting: boolean
  readonly commands: readonly ModelCommand[]
  /** In which order the Modules are deleted, and what happens in between. */
  readonly order: readonly number[]
  readonly last: readonly ModelCommand[]
}

const number = fc.nat(999)
const fault: fc.Arbitrary<Fault | undefined> = fc.option(
  fc.record({ at: fc.nat(5), how: fc.constantFrom('Before', 'After', 'Pause', 'Pause') }),
  { nil: undefined },
)
const work: fc.Arbitrary<ModelCommand> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('unit'), a: number, fault }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('module'), a: number, fault: fc.constant(undefined) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('round'), a: number }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('advance'), a: number }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('crash', 'resume') }) },
)
const act: fc.Arbitrary<ModelCommand> = fc.record({
  type: fc.constant('act'),
  act: fc.constantFrom(...ACTS),
  a: number,
  b: number,
  c: number,
})

/** Few clusters cost less and show the same. */
const rings = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...RINGS), { minLength: 1, maxLength: 1 }) },
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...RINGS), { minLength: 2, maxLength: 3 }) },
)

export const modelInputs: fc.Arbitrary<ModelInput> = fc.record({
  rings,
  modules: fc.array(
    fc.record({
      parts: fc.uniqueArray(fc.nat(PARTS.length - 1), { minLength: 1, maxLength: 5 }),
      ring: fc.constantFrom('all', 'all', 'all', ...RINGS),
      needs: fc.uniqueArray(fc.record({ on: fc.nat(7), optional: fc.boolean() }), {
        selector: (e) => e.on,
        maxLength: 2,
      }),
    }),
    { minLength: 3, maxLength: 8 },
  ),
  hasExisting: fc.constantFrom(false, false, false, true),
  commands: fc.array(fc.oneof({ weight: 3, arbitrary: act }, { weight: 7, arbitrary: work }), {
    minLength: 8,
    maxLength: 26,
  }),
  order: fc.array(number, { maxLength: 10 }),
  last: fc.array(work, { maxLength: 10 }),
})
