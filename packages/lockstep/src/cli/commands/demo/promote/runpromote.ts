/** `demo promote`: one pull request, though the controller dies in the worst moment. Loaded only by that command. */
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type CommandContext, type CommandResult, failed, INTERRUPTED } from '../../../kit/index.ts'
import { defineReport, printData } from '../../../kit/output/index.ts'
import { padEnd, wrap } from '../../../kit/terminal/index.ts'
import { type PromoteStoryResult, playPromoteStory, type StoryTeller } from './promotestory.ts'

export const demoPromoteReport = defineReport('DemoPromote', {
  pullRequests: z.int().describe('Pull requests opened for the promotion.'),
  changesOfBase: z.int().describe('Changes of main by the promotion.'),
  controllers: z.int().describe('Started controllers; all but the last were killed.'),
  promoted: z.string().describe('Version that main has for prod after the revert.'),
  hold: z.string().optional().describe('Reason why nothing is promoted after the revert.'),
})

const INTRODUCTION =
  'A Pipeline with two environments on a hub, a real Git repository, and a Git host with the API of GitHub, all on this machine. A few lines simulate Flux.'

/** Plays it; 1 when it came to more than one pull request, or to less. */
export async function runPromote(at: CommandContext): Promise<CommandResult> {
  const { terminal: t, env } = at
  const say = at.globals.output === 'table' ? t.print : t.talk
  const begun = env.clock.steady()
  const seconds = (): string => `${((env.clock.steady() - begun) / 1000).toFixed(1)}s`
  say(`${t.paint('bold', 'lockstep demo promote')}   ${t.paint('dim', '(requires git on the PATH)')}`)
  say(t.paint('dim', wrap(INTRODUCTION, t.look.width, 0)))
  if ((await env.processes.find('git')) === undefined)
    return failed('E_USAGE', { problem: 'git is not on PATH', suggestion: 'install git 2.34 or newer' })
  const dir = await env.files.tempDir('lockstep-demo-')
  if (!dir.ok) return failed('E_FILE_WRITE', { path: dir.error.path, problem: dir.error.message })
  const tell: StoryTeller = (who, text, mood) => {
    const head = mood === 'bad' ? t.paint('red', padEnd(who, 10)) : padEnd(who, 10)
    say(
      `  ${t.paint('dim', seconds().padStart(5))}  ${head} ${mood === 'good' ? t.paint('green', text) : text}`,
    )
  }
  const chapter = (text: string): void => {
    say('')
    say(t.paint('bold', wrap(text, t.look.width, 0)))
  }
  const { execPath: node, manifest } = at.host
  const script = join(dirname(manifest), 'bin/lockstep.js')
  const told = await playPromoteStory(env, dir.value, { node, script }, { chapter, tell, signal: at.signal })
  await env.files.removeTree(dir.value)
  if (!told || at.signal.aborted) {
    t.talk('Stopped. All data was in memory.')
    return { ok: true, value: INTERRUPTED }
  }
  return conclude(at, told, say, seconds())
}

function conclude(
  at: CommandContext,
  told: PromoteStoryResult,
  say: (line: string) => void,
  took: string,
): CommandResult {
  const { terminal: t } = at
  const facts = demoPromoteReport.fill({
    pullRequests: told.pulls,
    changesOfBase: told.changes,
    controllers: told.starts,
    promoted: told.promoted,
    ...(told.hold === undefined ? {} : { hold: told.hold }),
  })
  printData(at, facts, [])
  if (told.missed !== undefined)
    return failed('E_INVARIANT', { problem: `timed out; expected: ${told.missed}` })
  const wrong = problemsOf(told)
  if (wrong.length > 0) return failed('E_INVARIANT', { problem: wrong.join('; ') })
  say('')
  say(`${t.paint('dim', 'Suspended:')} ${wrap(told.hold!, t.look.width - 11, 11)}`)
  say(t.paint('green', `✔ ${told.starts} controllers, 1 pull request, 1 change of main, 1 Hold. ${took}.`))
  say(`Next: ${t.paint('bold', 'lockstep explain pipeline.spec')} lists the settings of a Pipeline.`)
  return { ok: true, value: 0 }
}

const problemsOf = (told: PromoteStoryResult): string[] => [
  ...(told.pulls === 1 ? [] : [`${told.pulls} pull requests for one promotion`]),
  ...(told.changes === 1 ? [] : [`main was changed ${told.changes} times by one promotion`]),
  ...(told.phase === 'Succeeded' ? [] : [`the promotion is ${told.phase}`]),
  ...(told.after === 0 ? [] : [`${told.after} promotions after the revert`]),
]
