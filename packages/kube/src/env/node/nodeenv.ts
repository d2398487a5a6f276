/** The real outside world, on Node's own modules. The only folder that may touch them. */

import { cronCalendar } from '../calendar.ts'
import { countedProcesses } from '../countedprocesses.ts'
import type { Env, Log } from '../env.ts'
import { leavingBy } from '../leavingby.ts'
import { unsupervised } from '../supervise.ts'
import { nodeClock } from './nodeclock.ts'
import { nodeConnect } from './nodeconnect.ts'
import { nodeEgress } from './nodeegress.ts'
import { nodeFiles } from './nodefiles.ts'
import { nodeListener } from './nodelistener.ts'
import { nodeProcesses } from './nodeprocesses.ts'
import { nodeRandom } from './noderandom.ts'
import { nodeResolve } from './noderesolve.ts'
import { nodeThreads } from './nodethreads.ts'
import { promMeters } from './prommeters.ts'

export function createNodeEnv(log: Log): Env {
  const meters = promMeters()
  const egress = nodeEgress(log)
  return {
    clock: nodeClock,
    random: nodeRandom,
    net: {
      connect: (target, by) => nodeConnect(leavingBy(egress, target), by),
      resolve: nodeResolve,
      listen: (options, handler) => nodeListener(log, options, handler),
      egress,
    },
    files: nodeFiles,
    processes: countedProcesses(nodeProcesses, meters),
    threads: nodeThreads,
    log,
    meters,
    calendar: cronCalendar,
    supervisor: unsupervised,
  }
}
