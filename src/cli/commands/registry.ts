/** All commands, in the order of the help. */
import type { Command } from '../command.ts'
import { adopt } from './adopt.ts'
import { apply } from './apply.ts'
import { check } from './check.ts'
import { cluster } from './cluster.ts'
import { completion } from './completion.ts'
import { controller } from './controller.ts'
import { remove } from './delete.ts'
import { demo } from './demo.ts'
import { diff } from './diff.ts'
import { events } from './events.ts'
import { explain } from './explain.ts'
import { get } from './get.ts'
import { graph } from './graph.ts'
import { hold, release } from './hold.ts'
import { importCommand } from './import.ts'
import { install } from './install.ts'
import { plan } from './plan.ts'
import { postRender } from './postrender.ts'
import { reconcile } from './reconcile.ts'
import { render } from './render.ts'
import { rollout } from './rollout.ts'
import { status } from './status.ts'
import { up } from './up.ts'
import { version } from './version.ts'
import { wait } from './wait.ts'
import { why } from './why.ts'

export const commands: readonly Command[] = [
  demo,
  up,
  apply,
  remove,
  get,
  status,
  why,
  render,
  postRender,
  plan,
  diff,
  adopt,
  graph,
  wait,
  reconcile,
  rollout,
  hold,
  release,
  cluster,
  events,
  explain,
  controller,
  install,
  check,
  importCommand,
  completion,
  version,
]
