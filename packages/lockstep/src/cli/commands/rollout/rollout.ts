import type { Command, Context, Flags, Option } from '../../kit/command.ts'
import { failed, type Outcome } from '../../kit/clifailure.ts'
import { pipelineWord } from '../../kit/pipelines/pipelinesnapshot.ts'
import { ROLLOUT_ACTIONS, type RolloutAction } from '../../kit/rollout/rolloutactions.ts'
import { approve } from '../../kit/rollout/approvestage.ts'
import { history } from '../../kit/rollout/historyreport.ts'
import { pages } from '../../kit/rollout/rolloutpages.ts'
import { pause, resume } from '../../kit/rollout/pauserollout.ts'
import { retry } from '../../kit/rollout/retryrollout.ts'
import { revisionDiff } from '../../kit/rollout/revisiondiff.ts'
import { rolloutStatus } from '../../kit/rollout/showrolloutstatus.ts'
import { undo } from '../../kit/rollout/undorollout.ts'
import { listText, nearest } from '../../kit/terminal/agetext.ts'

type Run = (c: Context, module: string, flags: Flags) => Promise<Outcome>

const runs: Readonly<Record<RolloutAction, Run>> = {
  ...{ status: rolloutStatus, history, diff: revisionDiff, approve },
  ...{ pause, resume, retry, undo },
}

const keyOf = ({ flags }: Option): string =>
  /--([\w-]+)/.exec(flags)![1]!.replace(/-(\w)/g, (_, x: string) => x.toUpperCase())

/** Options that say something to an action. */
const takes = (action: RolloutAction): string[] => pages[action].options.map(keyOf)

/** Each once. */
const ALL = [...new Map(ROLLOUT_ACTIONS.flatMap((a) => pages[a].options).map((o) => [keyOf(o), o])).values()]

/** What an action would not look at is not asked of it. */
function idleOption(action: RolloutAction, unit: string, flags: Flags): Outcome | undefined {
  const known = takes(action)
  const idle = ALL.map(keyOf).find((o) => flags[o] !== undefined && flags[o] !== false && !known.includes(o))
  if (idle === undefined) return undefined
  const option = `--${idle.replace(/[A-Z]/g, (x) => `-${x.toLowerCase()}`)}`
  const others = ROLLOUT_ACTIONS.filter((a) => takes(a).includes(idle))
  return failed('E_USAGE', {
    problem: `${option} says nothing to rollout ${action}: it is for ${listText(others)}`,
    suggestion:
      idle === 'cluster'
        ? `One cluster: lockstep why ${unit}@${flags.cluster}.`
        : `Leave it out, or lockstep rollout ${others[0]}.`,
  })
}

/** `MODULE@CLUSTER` is `MODULE --cluster CLUSTER`. */
function unitOf(word: string, flags: Flags): { readonly module: string; readonly flags: Flags } {
  const [module = '', cluster] = word.split('@')
  return {
    module,
    flags: cluster === undefined || flags.cluster !== undefined ? flags : { ...flags, cluster },
  }
}

/** What does for a pipeline what this action does for a module. */
const INSTEAD: Readonly<Record<Exclude<RolloutAction, 'approve'>, (pipeline: string) => string>> = {
  status: (p) => `lockstep status ${p}`,
  history: (p) => `lockstep get promotions lists those of ${p}`,
  diff: (p) => `lockstep status ${p} names its pull requests`,
  pause: (p) => `lockstep hold ${p}`,
  resume: (p) => `lockstep release ${p}`,
  retry: (p) => `lockstep promote ${p.replace(/^[^/]*\//, '')} --to ENVIRONMENT`,
  undo: (p) => `lockstep promote ${p.replace(/^[^/]*\//, '')} --to ENVIRONMENT --revision REVISION`,
}

const notOfPipelines = (action: Exclude<RolloutAction, 'approve'>, word: string): Outcome =>
  failed('E_USAGE', {
    problem: `rollout ${action} is for modules, and ${word} is a pipeline`,
    suggestion: `${INSTEAD[action](word)}.`,
  })

/** `lockstep rollout`. */
export const rollout: Command = {
  name: 'rollout',
  summary: 'Steer a rollout: status, history, approve, pause, undo, retry',
  arguments: '<action> <unit>',
  completes: ['rolloutAction', 'unit'],
  detail: 'MODULE@CLUSTER is MODULE --cluster CLUSTER.',
  actions: ROLLOUT_ACTIONS.map((a) => pages[a]),
  options: ALL,
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['How far it is', 'rollout status monitoring -n platform'],
    ['The canaries are well: on with the rest', 'rollout approve shop --stage canary -n platform'],
    ['It is slower: back to the one before', 'rollout undo shop --reason slow -n platform'],
    ['The database is back: let the migration run again', 'rollout retry monitoring@prod-eu -n platform'],
  ],
  async run(c, args, flags) {
    const [action, unit] = args as [string, string]
    const found = ROLLOUT_ACTIONS.find((a) => a === action)
    if (found && found !== 'approve' && pipelineWord(unit) !== undefined) return notOfPipelines(found, unit)
    if (found) {
      const meant = unitOf(unit, flags)
      return idleOption(found, meant.module, meant.flags) ?? runs[found](c, meant.module, meant.flags)
    }
    const meant = nearest(action, ROLLOUT_ACTIONS)
    return failed('E_USAGE', {
      problem: `a rollout has no action "${action}"`,
      suggestion: meant ? `Did you mean ${meant}?` : `Actions: ${ROLLOUT_ACTIONS.join(', ')}.`,
    })
  },
}
