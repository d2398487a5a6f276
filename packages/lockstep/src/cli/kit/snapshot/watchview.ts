/** A view that goes on: frames over each other on a terminal, else the lines that changed, with a time. */

import { requestErrorText } from '@lockstep/kube/client'
import type { Result } from '@lockstep/kube/env'
import { timestamp } from '@lockstep/kube/object'
import type { HubConnection } from '../hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  INTERRUPTED,
  startInterval,
  untilInterrupt,
} from '../index.ts'
import { createFrameDisplay, createFramePace, FRAME_MS } from '../terminal/index.ts'
import type { LiveView } from './liveview.ts'
import type { StatusView } from './statusview.ts'

/** Ages grow by the second. */
const TICK_MS = 1000

/** What is followed, and how it is shown. */
export interface WatchedView<S> {
  readonly what: string
  follow(
    c: CommandContext,
    hub: HubConnection,
    onChange: () => void,
  ): Promise<Result<LiveView<S>, CliFailure>>
  look(s: S): Result<StatusView, CliFailure>
}

/** Until interrupted, or until `what` has gone. */
export async function watchView<S>(
  c: CommandContext,
  hub: HubConnection,
  { what, follow, look }: WatchedView<S>,
): Promise<CommandResult> {
  let onChange = (): void => {}
  const fleet = await follow(c, hub, () => onChange())
  if (!fleet.ok) return fleet
  const first = look(fleet.value.snapshot())
  const gone = new AbortController()
  const show = c.terminal.look.live ? frames(c) : changes(c)
  const pace = createFramePace(c.env.clock, FRAME_MS, () => {
    const view = look(fleet.value.snapshot())
    if (view.ok) show(view.value.lines, troubleOf(fleet.value))
    else gone.abort()
  })
  onChange = pace.ask
  const stopTicks = startInterval(c.env.clock, TICK_MS, () => {
    fleet.value.tend()
    if (c.terminal.look.live) pace.ask()
  })
  pace.ask()
  if (first.ok) await Promise.race([untilInterrupt(c.signal), untilInterrupt(gone.signal)])
  stopTicks()
  pace.stop()
  fleet.value.stop()
  await hub.client.close()
  if (!first.ok) return first
  if (!gone.signal.aborted) {
    // The terminal has written ^C where the cursor was.
    if (c.terminal.look.live) c.terminal.print('')
    return { ok: true, value: INTERRUPTED }
  }
  c.terminal.print(`${what} was deleted.`)
  return { ok: true, value: 0 }
}

/** A watch that is cut goes on by itself; what is shown is old until then. */
function troubleOf(fleet: Pick<LiveView<unknown>, 'problem'>): string {
  const problem = fleet.problem()
  return problem ? `Not current, retrying: ${requestErrorText(problem)}` : ''
}

type Show = (lines: readonly string[], trouble: string) => void

function frames(c: CommandContext): Show {
  const screen = createFrameDisplay(c.host, c.terminal)
  const { terminal: t } = c
  return (lines, trouble) => screen.draw(trouble === '' ? lines : [...lines, t.paint('red', trouble)])
}

/** A line in which only time has passed is no change. */
const ageless = (line: string): string => line.replace(/\b(\d+[ywdhms])+\b/g, '')

function changes(c: CommandContext): Show {
  let before = new Set<string>()
  let wasCurrent = true
  return (lines, trouble) => {
    const at = timestamp(c.env.clock.now())
    for (const line of lines) if (line !== '' && !before.has(ageless(line))) c.terminal.print(`${at} ${line}`)
    before = new Set(lines.map(ageless))
    const isCurrent = trouble === ''
    if (isCurrent !== wasCurrent) c.terminal.talk(`${at} ${isCurrent ? 'Current again.' : trouble}`)
    wasCurrent = isCurrent
  }
}
