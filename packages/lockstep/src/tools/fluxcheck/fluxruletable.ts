/** All rules by their names: letters of one number are forms of one race. */

export interface FluxRule {
  /** What it is about, in a word or three. */
  readonly name: string
  readonly text: string
}

export const fluxRuleTable = {
  W1a: {
    name: 'unwritten dependency',
    text: 'An edge does not say which release of its dependency it needs, and that has content in its own spec.',
  },
  W2a: {
    name: 'suspended dependency',
    text: 'A unit that others depend on is suspended: Flux never finishes a new generation of it.',
  },
  W2b: {
    name: 'edge to nothing',
    text: 'An edge leads to nothing, to a unit of the other kind, or round in a circle: it never opens.',
  },
  W2c: {
    name: 'long chain',
    text: 'A chain of edges is so long that looking at each of them every 30 s takes minutes.',
  },
  W3a: {
    name: 'ready at an old generation',
    text: 'A readyExpr takes the state of an older generation for the wanted one.',
  },
  W3b: {
    name: 'unwatched input',
    text: 'A unit that others depend on reads a ConfigMap or Secret whose change makes no new generation.',
  },
  W3c: {
    name: 'ready before healthy',
    text: 'A unit that others depend on is ready as soon as it is applied; or a script waits for a condition of Flux.',
  },
  W4a: {
    name: 'different revisions',
    text: 'Nothing compares the revisions of a unit and of its dependency.',
  },
  W4b: { name: 'moving reference', text: 'Content below an edge changes while no object does.' },
  W4c: {
    name: 'included source',
    text: 'A source with includes changes its content under an equal revision.',
  },
  W5a: {
    name: 'silent checkpoint',
    text: 'A unit does not change when what it checks does: nothing is checked again.',
  },
  W5b: {
    name: 'check that does not run again',
    text: 'A Job or release that others depend on does nothing for a new release.',
  },
  W6a: { name: 'renamed unit', text: 'The old unit deletes what the new one has not taken over yet.' },
  W6b: { name: 'two owners', text: 'Two units apply the same objects: each takes them from the other.' },
  W6c: {
    name: 'name with a counter',
    text: 'A unit gets another name at each release and prunes: its objects are deleted and made again.',
  },
} as const satisfies Record<string, FluxRule>

export type FluxRuleId = keyof typeof fluxRuleTable

export const fluxRuleIds = Object.keys(fluxRuleTable) as FluxRuleId[]
