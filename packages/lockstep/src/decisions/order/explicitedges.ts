/** Edges that annotations ask for. */
import { type KubeObject, refText } from '@lockstep/kube/object'
import type { ObjectOrdering, OrderingNeed } from './annotations.ts'
import { kappRuleText } from './dialect/kapprule.ts'
import type { GraphBuilder, NewEdge } from './graphbuilder.ts'
import type { BundleIndex } from './implied/bundleindex.ts'
import type { OrderEdge, WaitNode } from './ordergraph.ts'
import type { AnnotationTarget, WeighedRule } from './orderoptions.ts'

/** All needs of all objects. What the bundle does not deliver becomes a condition that is waited for. */
export function addExplicitEdges(
  builder: GraphBuilder,
  objects: readonly KubeObject[],
  said: ReadonlyMap<KubeObject, ObjectOrdering>,
  index: BundleIndex,
): void {
  const waits = new Map<string, number>()
  for (const o of objects) {
    for (const need of said.get(o)!.needs) {
      for (const to of builder.of(o)) {
        const from = delivered(builder, need.target, index) ?? waiting(builder, need, waits)
        const ask = need.ask ?? builder.endOf(from)
        const text = need.expression === undefined ? {} : { expression: need.expression }
        builder.edge(from, to, {
          ask: askOf(builder, from, ask),
          strength: 'Required',
          why: need.why,
          ...text,
        })
      }
    }
  }
}

/** A condition is asked for what it is; an object of the bundle for what is needed. */
function askOf(builder: GraphBuilder, from: number, ask: NewEdge['ask']): NewEdge['ask'] {
  const node = builder.nodes[from]!
  return node.type === 'wait' ? node.ask : ask
}

/** The first node of an object of the bundle. One without a namespace is not bound to a cluster yet. */
function delivered(builder: GraphBuilder, t: AnnotationTarget, index: BundleIndex): number | undefined {
  const found =
    index.find(t.group, t.kind, t.namespace, t.name) ?? index.find(t.group, t.kind, undefined, t.name)
  return found && builder.of(found)[0]
}

function waiting(builder: GraphBuilder, need: OrderingNeed, waits: Map<string, number>): number {
  const { target, expression } = need
  const ask = outsideAsk(need)
  const id = [refText(target), ask, ...(expression === undefined ? [] : [expression])].join(' ')
  const there = waits.get(id)
  if (there !== undefined) return there
  const text = expression === undefined ? {} : { expression }
  const n = builder.add({ type: 'wait', id, target, ask, ...text, why: need.why })
  waits.set(id, n)
  return n
}

/** Whoever applies it: that it is applied can be seen only by its being there. */
function outsideAsk({ ask, target: { group, kind } }: OrderingNeed): WaitNode['ask'] {
  if (ask === 'Applied') return 'Exists'
  if (ask !== undefined) return ask
  return (group === 'batch' && kind === 'Job') || (group === '' && kind === 'Pod') ? 'Complete' : 'Healthy'
}

interface HeldRule {
  readonly holder: number
  readonly rule: WeighedRule
}

/** Rules of kapp between changes of the same sort; those between others are left to who deletes. */
export class GroupRules {
  private readonly members = new Map<string, number[]>()
  private readonly rules: HeldRule[] = []
  private readonly builder: GraphBuilder

  constructor(
    builder: GraphBuilder,
    objects: readonly KubeObject[],
    said: ReadonlyMap<KubeObject, ObjectOrdering>,
  ) {
    this.builder = builder
    for (const o of objects) {
      const { options, rules } = said.get(o)!
      for (const n of builder.of(o)) {
        for (const group of options.changeGroups) {
          const there = this.members.get(group)
          if (there) there.push(n)
          else this.members.set(group, [n])
        }
        for (const rule of rules) this.rules.push({ holder: n, rule })
      }
    }
  }

  /** `upsert … upserting` that has to hold: over one barrier for each group and direction. */
  layRequired(): void {
    const barriers = new Map<string, number>()
    for (const { holder, rule } of this.upserts(false)) {
      const members = this.members.get(rule.group) ?? []
      if (members.length === 0) continue
      const id = `kapp.k14s.io/change-group ${rule.order} ${rule.group}`
      let barrier = barriers.get(id)
      if (barrier === undefined) {
        barrier = this.builder.barrier(id)
        barriers.set(id, barrier)
        for (const m of members) this.lay(m, barrier, rule)
      }
      this.lay(holder, barrier, rule, true)
    }
  }

  /** Those that may be left out, the greatest weight first, as kapp does: each pair on its own. */
  layPreferred(): void {
    const rules = this.upserts(true).sort((a, b) => b.rule.weight - a.rule.weight)
    for (const { holder, rule } of rules) {
      for (const member of this.members.get(rule.group) ?? []) {
        const [from, to] = rule.order === 'after' ? [member, holder] : [holder, member]
        const why = `kapp.k14s.io/change-rule ${kappRuleText(rule)}`
        this.builder.edge(from, to, { ask: this.builder.endOf(from), strength: 'Preferred', why })
      }
    }
  }

  /** `delete … deleting`: what goes before what, among objects that are all deleted. */
  removals(): OrderEdge[] {
    return this.rules
      .filter(({ rule }) => rule.action === 'delete' && rule.other === 'deleting')
      .flatMap(({ holder, rule }) =>
        (this.members.get(rule.group) ?? []).flatMap((member): OrderEdge[] => {
          const [from, to] = rule.order === 'after' ? [member, holder] : [holder, member]
          const strength = rule.ignoreIfCyclical ? 'Preferred' : 'Required'
          const why = `kapp.k14s.io/change-rule ${kappRuleText(rule)}`
          return from === to ? [] : [{ from, to, ask: 'Gone', strength, why }]
        }),
      )
  }

  private upserts(isOptional: boolean): HeldRule[] {
    return this.rules.filter(
      ({ rule }) =>
        rule.action === 'upsert' && rule.other === 'upserting' && rule.ignoreIfCyclical === isOptional,
    )
  }

  /** Members and holders are on the two sides of a barrier; which is which, the rule says. */
  private lay(n: number, barrier: number, rule: WeighedRule, isHolder = false): void {
    const why = `kapp.k14s.io/change-rule ${kappRuleText(rule)}`
    const isBefore = isHolder === (rule.order === 'before')
    const edge = { ask: isBefore ? this.builder.endOf(n) : 'Applied', strength: 'Required', why } as const
    if (isBefore) this.builder.edge(n, barrier, edge)
    else this.builder.edge(barrier, n, edge)
  }
}
