/** All rules by their names: letters of one number are forms of one race. */

export interface FluxRule {
  /** What it is about, in a word or three. */
  readonly name: string
  readonly text: string
}

export const fluxRuleTable = {
  W1a: {
    name: 'unwritten dependency',
    text: 'A dependency names no release, and the unit that it needs has content in its own spec.',
  },
  W2a: {
    name: 'suspended dependency',
    text: 'A unit that others depend on is suspended: Flux never finishes a new generation of it.',
  },
  W2b: {
    name: 'dependency on nothing',
    text: 'A dependency names a missing unit, a unit of the other kind, or is part of a cycle.',
  },
  W2c: {
    name: 'long chain',
    text: 'A chain of dependencies needs minutes, since each of them is checked every 30 s.',
  },
  W3a: {
    name: 'ready at an old generation',
    text: 'A readyExpr accepts the state of an older generation.',
  },
  W3b: {
    name: 'unwatched input',
    text: 'A unit that others depend on reads a ConfigMap or Secret whose change makes no new generation.',
  },
  W3c: {
    name: 'ready before healthy',
    text: 'A unit with dependents is ready when it is applied, or a script waits for a condition of Flux.',
  },
  W4a: {
    name: 'different revisions',
    text: 'Nothing compares the revisions of a unit and of its dependency.',
  },
  W4b: {
    name: 'moving reference',
    text: 'Content behind a dependency changes without a change of an object.',
  },
  W4c: {
    name: 'included source',
    text: 'A source with includes changes its content under an equal revision.',
  },
  W5a: {
    name: 'silent checkpoint',
    text: 'A unit does not change with the objects that it checks: nothing is checked again.',
  },
  W5b: {
    name: 'check that does not run again',
    text: 'A Job or release that others depend on does nothing for a new release.',
  },
  W6a: {
    name: 'renamed unit',
    text: 'The old unit deletes objects that the new one has not taken over yet.',
  },
  W6b: { name: 'two owners', text: 'Two units apply the same objects: each takes them from the other.' },
  W6c: {
    name: 'name with a counter',
    text: 'A unit gets another name at each release and prunes: its objects are deleted and recreated.',
  },
} as const satisfies Record<string, FluxRule>

export type FluxRuleId = keyof typeof fluxRuleTable

export const fluxRuleIds = Object.keys(fluxRuleTable) as FluxRuleId[]
