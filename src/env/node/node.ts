/** The real outside world, on Node's own modules. The only folder that may touch them. */

import { cronCalendar } from '../calendar.ts'
import type { Env, Log } from '../env.ts'
import { createMeters } from '../meters.ts'
import { nodeClock } from './clock.ts'
import { nodeConnect } from './connect.ts'
import { nodeFiles } from './files.ts'
import { nodeListen } from './listen.ts'
import { nodeProcesses } from './processes.ts'
import { nodeRandom } from './random.ts'
import { nodeThreads } from './threads.ts'

export function createNodeEnv(log: Log): Env {
  return {
    clock: nodeClock,
    random: nodeRandom,
    net: { connect: nodeConnect, listen: nodeListen },
    files: nodeFiles,
    processes: nodeProcesses,
    threads: nodeThreads,
    log,
    meters: createMeters(),
    calendar: cronCalendar,
  }
}
